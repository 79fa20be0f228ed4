"""The CLAUDE.md chain: what the agent is told before the first message."""
