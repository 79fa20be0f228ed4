"""One request taken apart, and the request that a fork goes on from."""
