"""Full compaction: one call of a model writes the summary."""
