"""Dreaming over memory: its gates, its lock, and the part that needs no model."""
