"""Messages that a person has pinned: they stay word for word, whatever is compacted."""
