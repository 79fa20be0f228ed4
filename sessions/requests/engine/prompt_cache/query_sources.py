"""The client's names for the sources of requests: the main thread, and its own side requests."""

from __future__ import annotations

MAIN = "repl_main_thread"
SDK = "sdk"
COMPACT = "compact"
SESSION_MEMORY = "session_memory"
AGENT = "agent:"
"""Begins the names of sub-agents."""
