"""What a dream, a tidy or an extraction would change, and the decision about it."""
