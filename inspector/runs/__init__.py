"""Runs: everything that happens in the background."""
