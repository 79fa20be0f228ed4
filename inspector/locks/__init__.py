"""Locks for work that one process may do at a time, on a file or in the database; and which host this is."""
