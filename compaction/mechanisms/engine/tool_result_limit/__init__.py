"""The result budget: tool results that are too large move to files."""
