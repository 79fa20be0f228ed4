"""Takes the body of a request apart: the pieces that repeat from request to request, the rest, and the cache marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.capture.engine.documents import loads
from sessions.capture.engine.marks import Mark, unmarked

NOT_STORED = "[not stored]"
LISTS = ("system", "tools", "messages")


@dataclass(frozen=True, slots=True)
class Parts:
    system: tuple[Any, ...] | None = None
    """None: the request has none. A system prompt that is a mere string is the one element."""
    tools: tuple[Any, ...] | None = None
    messages: tuple[Any, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    """All else."""
    marks: tuple[Mark, ...] = ()
    problem: str = ""
    """Why it is not in the form of the API."""

    @property
    def model(self) -> str:
        name = self.params.get("model")
        return name if isinstance(name, str) else ""


def parts_of(body: bytes) -> Parts:
    try:
        value = loads(body)
    except (ValueError, RecursionError):
        return Parts(problem="The body of the request is not JSON.")
    if not isinstance(value, dict):
        return Parts(problem="The body of the request is not a JSON object.")
    marks: list[Mark] = []
    found: dict[str, tuple[Any, ...] | None] = {}
    for name in LISTS:
        given = value.get(name)
        if isinstance(given, list):
            value.pop(name)
            found[name] = tuple(unmarked(one, [name, at], marks) for at, one in enumerate(given))
        elif name == "system" and isinstance(given, str):
            found[name] = (value.pop(name),)
    params = _without_tokens(value)
    return Parts(found.get("system"), found.get("tools"), found.get("messages") or (), params, tuple(marks))


def _without_tokens(params: dict[str, Any]) -> dict[str, Any]:
    """A request may hand the API the keys of other servers."""
    servers = params.get("mcp_servers")
    if not isinstance(servers, list):
        return params
    return {**params, "mcp_servers": [_server(one) for one in servers]}


def _server(server: Any) -> Any:
    if not isinstance(server, dict) or "authorization_token" not in server:
        return server
    return {**server, "authorization_token": NOT_STORED}
