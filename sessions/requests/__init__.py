"""One request in its parts, and the request that a fork continues."""
