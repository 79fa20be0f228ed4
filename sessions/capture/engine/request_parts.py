"""Splits the body of a request into contents that repeat in other requests, parameters, and cache marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.capture.engine.cache_marks import Mark, remove_marks
from sessions.capture.engine.documents import loads

NOT_STORED = "[not stored]"
LISTS = ("system", "tools", "messages")


@dataclass(frozen=True, slots=True)
class RequestParts:
    system: tuple[Any, ...] | None = None
    """None if the request has none. A system prompt that is a string becomes the only element."""
    tools: tuple[Any, ...] | None = None
    messages: tuple[Any, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    """Everything else."""
    marks: tuple[Mark, ...] = ()
    problem: str = ""
    """Why the body is not a valid request."""

    @property
    def model(self) -> str:
        name = self.params.get("model")
        return name if isinstance(name, str) else ""


def split_request(body: bytes) -> RequestParts:
    try:
        value = loads(body)
    except (ValueError, RecursionError):
        return RequestParts(problem="The body of the request is not JSON.")
    if not isinstance(value, dict):
        return RequestParts(problem="The body of the request is not a JSON object.")
    marks: list[Mark] = []
    lists: dict[str, tuple[Any, ...] | None] = {}
    for name in LISTS:
        items = value.get(name)
        if isinstance(items, list):
            value.pop(name)
            lists[name] = tuple(remove_marks(item, [name, index], marks) for index, item in enumerate(items))
        elif name == "system" and isinstance(items, str):
            lists[name] = (value.pop(name),)
    params = _without_tokens(value)
    return RequestParts(lists.get("system"), lists.get("tools"), lists.get("messages") or (), params, tuple(marks))


def _without_tokens(params: dict[str, Any]) -> dict[str, Any]:
    """A request may contain the keys of MCP servers."""
    servers = params.get("mcp_servers")
    if not isinstance(servers, list):
        return params
    return {**params, "mcp_servers": [_server(server) for server in servers]}


def _server(server: Any) -> Any:
    if not isinstance(server, dict) or "authorization_token" not in server:
        return server
    return {**server, "authorization_token": NOT_STORED}
