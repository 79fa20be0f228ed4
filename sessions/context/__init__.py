"""What the model was sent in a request, and what was left out."""
