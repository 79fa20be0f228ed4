"""`/health/`, and what it probes."""
