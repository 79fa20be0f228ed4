"""Finds the session and sub-agent that sent a request, according to the request itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.capture.engine.documents import loads
from sessions.capture.engine.exchange import Exchange
from sessions.linking.engine.raw_fields import mapping, text

MAX_CHARS = 200
_SESSION = re.compile(r"_session_([0-9a-fA-F-]{8,64})$")


@dataclass(frozen=True, slots=True)
class Sender:
    session: str = ""
    agent: str = ""


def find_sender(exchange: Exchange, params: Mapping[str, Any]) -> Sender:
    user = text(mapping(params.get("metadata")).get("user_id"))
    session = exchange.header("x-claude-code-session-id") or _session(user)
    return Sender(session[:MAX_CHARS], exchange.header("x-claude-code-agent-id")[:MAX_CHARS])


def _session(user: str) -> str:
    """Client versions differ: the session is a part of an id, or in a JSON document within the string."""
    if user.startswith("{"):
        try:
            return text(mapping(loads(user)).get("session_id"))
        except (ValueError, RecursionError):
            return ""
    match = _SESSION.search(user)
    return match[1] if match else ""
