"""Makes and restores backups of the whole home, while others use the database."""
