"""Two contexts or two requests, side by side."""
