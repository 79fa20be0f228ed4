"""The hooks that run around a compaction."""
