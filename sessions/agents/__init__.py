"""Sub-agents of a session: who started whom, their messages, how they ended, what they are doing."""
