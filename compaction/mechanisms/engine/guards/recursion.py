"""Who may compact: a call that is part of a compaction or of taking notes would start another one, without end."""

from __future__ import annotations

from sessions.requests.engine.prompt_cache.query_sources import COMPACT, MAIN, SDK, SESSION_MEMORY

NEVER = frozenset({COMPACT, SESSION_MEMORY})


def may_compact(source: str) -> bool:
    return source not in NEVER


def owns_shared_state(source: str) -> bool:
    """Whether a compaction may clear what the whole session shares; a sub-agent's must not."""
    return source.startswith(MAIN) or source == SDK
