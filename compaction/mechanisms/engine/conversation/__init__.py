"""The structure of a conversation for the mechanisms: its calls and turns, and where it may be cut."""
