"""Memories that a model finds in a session."""
