"""Who may compact: a call that is part of a compaction or of taking notes would start another one, without end."""

from __future__ import annotations

MAIN = "repl_main_thread"
COMPACT = "compact"
SESSION_MEMORY = "session_memory"
NEVER = frozenset({COMPACT, SESSION_MEMORY})


def may_compact(source: str) -> bool:
    return source not in NEVER


def owns_shared_state(source: str) -> bool:
    """Whether a compaction may clear what the whole session shares; a sub-agent's must not."""
    return source.startswith(MAIN) or source == "sdk"
