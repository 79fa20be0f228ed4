"""A compaction: its boundary, its record, and the messages that are left after it."""
