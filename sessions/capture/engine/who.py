"""Who sent a request, as far as it says so itself: the session, and the sub-agent in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.capture.engine.documents import loads
from sessions.capture.engine.exchange import Exchange
from sessions.linking.engine.raw_fields import mapping, text

LONGEST = 200
_SESSION = re.compile(r"_session_([0-9a-fA-F-]{8,64})$")


@dataclass(frozen=True, slots=True)
class Who:
    session: str = ""
    agent: str = ""


def who_sent(exchange: Exchange, params: Mapping[str, Any]) -> Who:
    user = text(mapping(params.get("metadata")).get("user_id"))
    session = exchange.header("x-claude-code-session-id") or _session(user)
    return Who(session[:LONGEST], exchange.header("x-claude-code-agent-id")[:LONGEST])


def _session(user: str) -> str:
    """Versions differ: an id of several parts, or a document in a string."""
    if user.startswith("{"):
        try:
            return text(mapping(loads(user)).get("session_id"))
        except (ValueError, RecursionError):
            return ""
    found = _SESSION.search(user)
    return found[1] if found else ""
