"""Notes of a session."""
