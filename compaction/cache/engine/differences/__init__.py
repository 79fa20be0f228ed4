"""What differs between two requests, and where."""
