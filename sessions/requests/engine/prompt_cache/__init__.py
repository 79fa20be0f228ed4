"""Cache marks and how long a cache entry lives."""
