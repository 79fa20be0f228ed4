"""Two contexts or two requests beside each other."""
