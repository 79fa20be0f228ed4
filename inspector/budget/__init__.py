"""The monthly budget for models, and what of it is spent."""
