"""Check and repair of all that is stored, as runs."""
