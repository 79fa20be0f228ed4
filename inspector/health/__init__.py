"""`/health/` and its probes."""
