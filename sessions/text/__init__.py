"""Text for people: numbers in words, Markdown, diffs, colours, characters that nobody sees."""
