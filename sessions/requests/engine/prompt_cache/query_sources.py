"""The names that the client gives to those that ask: the main thread, and its own requests on the side."""

from __future__ import annotations

MAIN = "repl_main_thread"
SDK = "sdk"
COMPACT = "compact"
SESSION_MEMORY = "session_memory"
AGENT = "agent:"
"""Begins the names of sub-agents."""
