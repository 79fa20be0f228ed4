"""Text for people: numbers in words, Markdown, diffs, colours, invisible characters."""
