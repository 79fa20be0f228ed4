"""The list of sessions, what is known of all of them, and what needs attention."""
