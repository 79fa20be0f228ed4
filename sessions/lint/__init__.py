"""What the API would refuse in a request, and its repair."""
