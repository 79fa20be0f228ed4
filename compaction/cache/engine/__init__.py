"""Breaks of the prompt cache: where they are, what caused them and what they cost."""
