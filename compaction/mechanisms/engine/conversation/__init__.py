"""A conversation as the mechanisms see it: its calls and turns, and where it may be cut."""
