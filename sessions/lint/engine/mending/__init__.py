"""The steps of a repair, each of which puts one thing right and says what it did."""
