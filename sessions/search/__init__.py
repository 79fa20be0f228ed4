"""Words in all conversations, and everything that tools printed."""
