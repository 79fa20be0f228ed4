"""Makes the pages: in the server itself, and in processes beside it while many requests come at once."""
