"""Breaks of the prompt cache: found, explained, priced, and how to avoid them."""
