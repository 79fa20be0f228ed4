"""What models may cost in a month, and what they have cost."""
