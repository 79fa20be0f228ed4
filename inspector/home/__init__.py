"""The first page, the command palette, and the answers to refused requests."""
