"""The yardstick of compactions: a recording is cut before a boundary, compacted here with the summary that the client
got, and what comes of it is held against the request that the client sent next."""
