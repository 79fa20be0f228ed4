"""How long a cache entry lives: five minutes, or an hour where that pays off."""

from __future__ import annotations

from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from sessions.requests.engine.prompt_cache.query_sources import AGENT, COMPACT, MAIN, SDK

ALLOWLIST = (f"{MAIN}*", SDK, f"{AGENT}*")
"""Query sources that live long enough to read what they wrote."""


class Ttl(StrEnum):
    FIVE_MINUTES = "5m"
    ONE_HOUR = "1h"


def allowlist_entry(source: str) -> str:
    """The entry of the list that names this source; empty if none does."""
    # A compaction reads what the main thread has cached, so it gets the same mark.
    tracked = MAIN if source == COMPACT else source
    return next((entry for entry in ALLOWLIST if fnmatchcase(tracked, entry)), "")


def cache_control(ttl: Ttl) -> dict[str, Any]:
    return {"type": "ephemeral"} | ({"ttl": "1h"} if ttl is Ttl.ONE_HOUR else {})
