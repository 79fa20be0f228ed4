"""A compaction as a session that the agent can resume."""
