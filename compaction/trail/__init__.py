"""The compactions of a session, and where each sentence of their summaries comes from."""
