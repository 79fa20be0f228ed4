"""Dreaming over memory: when, by whom alone, and what of it needs no model."""
