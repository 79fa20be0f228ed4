"""Tokens, prices and models."""
