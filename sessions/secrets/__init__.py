"""Secrets, masked wherever text is shown."""
