"""What questions that share a prompt cache saved."""
