"""From the bytes of a transcript to the rows that are stored of it."""
