"""The compactions of a session, and where each sentence of a summary comes from."""
