"""Follows the agent's files, and the duties of workers and watchers."""
