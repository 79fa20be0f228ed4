"""Messages that a person has pinned: they stay word for word in every compaction."""
