"""Django's backend for PostgreSQL, made to take whatever a transcript holds."""
