"""Partial compaction: one side of a message is summarised."""
