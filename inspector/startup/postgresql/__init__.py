"""Django's backend for PostgreSQL, changed to accept any text of a transcript."""
