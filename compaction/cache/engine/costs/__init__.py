"""What the cache saved, what its breaks cost, and what would have been cheaper."""
