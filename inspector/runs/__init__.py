"""Runs: pieces of work in the background."""
