"""The state of a client at a request: auto mode, overage, and results that it has deleted from the cache. Each is None
if no record tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.context.engine import Context, Exactness
from sessions.linking.engine.raw_fields import mapping, text

AUTO = "auto"
"""The permission mode in which the client decides for itself what needs a person."""


@dataclass(frozen=True, slots=True)
class ClientState:
    auto_mode: bool | None = None
    overage: bool | None = None
    """The quota of the subscription is used up, and tokens cost extra."""
    cache_deletions: int | None = None
    """Results that the request deletes from the cache (`cache_edits`)."""


UNKNOWN_STATE = ClientState()


def client_state(context: Context, permission_mode: str) -> ClientState:
    """`permission_mode`: the last one recorded before the request; empty if none was."""
    overage = context.captured.overage if context.captured is not None else None
    deletions = None if context.exactness is Exactness.RECONSTRUCTED else count_deletions(context)
    return ClientState(permission_mode == AUTO if permission_mode else None, overage, deletions)


def describe_state(state: ClientState) -> tuple[tuple[str, str], ...]:
    """The name and value of each fact; the value is empty if it is unknown."""
    deletions = "" if state.cache_deletions is None else str(state.cache_deletions or "none")
    return (
        ("Auto mode", _words(state.auto_mode, "on", "off")),
        ("Quota of the subscription", _words(state.overage, "used up: tokens cost extra", "not used up")),
        ("Results deleted from the cache", deletions),
    )


def _words(value: bool | None, yes: str, no: str) -> str:
    return "" if value is None else yes if value else no


def count_deletions(context: Context) -> int:
    blocks = (piece.block for element in context.elements for piece in element.pieces)
    return len({reference for block in blocks for reference in _deleted_results(block)})


def _deleted_results(block: Mapping[str, Any]) -> Iterable[str]:
    edits = block.get("edits") if block.get("type") == "cache_edits" else None
    for edit in edits if isinstance(edits, (list, tuple)) else ():
        if mapping(edit).get("type") == "delete":
            yield text(mapping(edit).get("cache_reference"))
