"""Every kind of compaction: its form, its forecast, and the run that makes it."""
