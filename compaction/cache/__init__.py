"""Breaks of the prompt cache: where they are, why they happened, what they cost and how to avoid them."""
