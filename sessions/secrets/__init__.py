"""Masks secrets wherever text is shown."""
