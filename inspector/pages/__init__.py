"""Who makes the pages: the server itself, and while many people ask at once, processes beside it."""
