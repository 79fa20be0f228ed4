"""Backups of the home: rows of tables and files in one file, as compressed, hashed parts."""
