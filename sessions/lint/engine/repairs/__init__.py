"""The steps of a repair. Each fixes one thing and says what it did."""
