"""The requests of a session as the cache sees them: their usage, their prompts and how long what they wrote lives."""
