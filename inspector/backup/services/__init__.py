"""Backups of the whole home: what is read from a database that others write to, and what is made of it elsewhere."""
