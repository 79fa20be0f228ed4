"""The first page, the palette, and what is said to a refused request."""
