"""Every kind of compaction: its form, its forecast, the run that makes it."""
