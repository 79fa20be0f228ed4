"""Why the cache dropped: evidence, causes and the explanation."""
