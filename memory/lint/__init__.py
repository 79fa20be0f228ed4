"""What is wrong with a memory directory."""
