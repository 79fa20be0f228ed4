"""Follows a growing file: tells whether appended rows only extend it, so that nothing before them changes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.linking.engine.raw_fields import key, mapping
from sessions.linking.engine.rows import LinkRow, needs_record
from sessions.transcripts.engine.flags import Flag

TAIL = 64
AWAITED = 256

PASSED, GROUP, PATH = range(3)
"""What may follow a row of the tail: attachments and notes only; anything; anything, and it becomes the leaf."""

_SIDECHAIN = int(Flag.SIDECHAIN)
_RESULT = int(Flag.RESULT)
_CALL = int(Flag.CALL)
_STOPS = int(Flag.SUMMARY | Flag.BOUNDARY | Flag.DUPLICATE)


@dataclass(frozen=True, slots=True)
class LinkState:
    """The end of the active chain after a link. Ids are keys. The state is bounded, so rows that refer to anything
    older need a full link."""

    leaf: int | None = None
    message: int | None = None
    """The assistant message that the leaf is part of or answers."""
    tail: Mapping[int, int] = field(default_factory=dict)
    """The last rows -> PASSED, GROUP or PATH, oldest first."""
    calls: Mapping[int, int] = field(default_factory=dict)
    """Calls of `message`: tool_use id -> row."""
    awaited: frozenset[int] = frozenset()
    """Ids that earlier rows mention and that may still come."""
    side: bool = False
    """The file of a sub-agent: all its rows are sidechain rows."""

    def to_json(self) -> dict[str, Any]:
        return {
            "leaf": self.leaf,
            "message": self.message,
            "tail": [list(item) for item in self.tail.items()],
            "calls": [list(item) for item in self.calls.items()],
            "awaited": sorted(self.awaited),
            "side": self.side,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LinkState:
        return cls(
            leaf=data["leaf"],
            message=data["message"],
            tail=dict(data["tail"]),
            calls=dict(data["calls"]),
            awaited=frozenset(data["awaited"]),
            side=data["side"],
        )


@dataclass(slots=True)
class _Tail:
    """The state while rows are added."""

    leaf: int
    message: int | None
    places: dict[int, int]
    calls: dict[int, int]

    def add(self, uuid: int, place: int) -> None:
        self.places[uuid] = place
        if len(self.places) > TAIL:
            del self.places[next(iter(self.places))]

    def close_group(self) -> None:
        for uuid in self.places:
            self.places[uuid] = PASSED
        self.calls.clear()

    def leave_path(self, parent: int) -> None:
        """Drops the rows after `parent`, which are no longer on the way to the leaf."""
        behind = False
        for uuid, place in self.places.items():
            if behind and place == PATH:
                self.places[uuid] = GROUP
            behind = behind or uuid == parent


def advance(state: LinkState, rows: Iterable[LinkRow], repeated: Container[int | None] = ()) -> LinkState | None:
    """The state after these appended rows; None if the file has to be linked in full.

    It succeeds when a full link would give the new rows no marks, no effective parents of their own, and leave all
    earlier rows as they are. `repeated`: those uuids of the new rows that stand earlier in the file, which a bounded
    state cannot know.
    """
    new_rows = list(rows)
    if state.leaf is None:
        return state if all(row.uuid is None and _is_silent(row) for row in new_rows) else None
    tail = _Tail(state.leaf, state.message, dict(state.tail), dict(state.calls))
    uuids: set[int] = set()
    for row in new_rows:
        if row.uuid is None:
            if not _is_silent(row) and not _confirms_leaf(row, tail):
                return None
            continue
        if row.uuid in repeated or row.uuid in tail.places or row.uuid in uuids or not _is_plain(row, state):
            return None
        uuids.add(row.uuid)
        if not _attach(row, tail):
            return None
    return LinkState(tail.leaf, tail.message, tail.places, tail.calls, state.awaited, state.side)


def _is_silent(row: LinkRow) -> bool:
    return not needs_record(row.type, row.detail, row.flags) and "snipMetadata" not in mapping(row.extra)


def _confirms_leaf(row: LinkRow, tail: _Tail) -> bool:
    """A `last-prompt` that names the leaf, or one that names nothing."""
    if row.type != "last-prompt" or row.extra is None:
        return False
    named = key(mapping(row.extra).get("leafUuid"))
    return named is None or tail.places.get(named) == PATH


def _is_plain(row: LinkRow, state: LinkState) -> bool:
    flags = int(row.flags)
    if row.parent is None or row.uuid == row.parent or flags & _STOPS:
        return False
    if row.uuid in state.awaited or (row.tool is not None and row.tool in state.awaited):
        return False
    if bool(flags & _SIDECHAIN) != state.side:
        return False
    return row.type == "assistant" or _is_silent(row)


def _attach(row: LinkRow, tail: _Tail) -> bool:
    """Puts a row after its parent, if that abandons no part of the conversation."""
    assert row.uuid is not None
    assert row.parent is not None
    place = tail.places.get(row.parent)
    if row.type not in ("user", "assistant"):
        return _attach_note(row.uuid, row.parent, place, tail)
    flags = int(row.flags)
    if row.type == "user" and flags & _RESULT:
        if row.tool is None or row.tool not in tail.calls:
            return False
        if place not in (GROUP, PATH) and tail.calls[row.tool] != row.parent:
            return False
    elif place not in (GROUP, PATH):
        return False
    elif row.type == "user" or row.message is None or row.message != tail.message:
        tail.close_group()
        tail.message = row.message if row.type == "assistant" else None
    for uuid, depth in tail.places.items():
        tail.places[uuid] = min(depth, GROUP)
    if row.type == "assistant" and row.tool is not None and flags & _CALL:
        tail.calls[row.tool] = row.uuid
    tail.add(row.uuid, PATH)
    tail.leaf = row.uuid
    return len(tail.calls) <= TAIL


def _attach_note(uuid: int, parent: int, place: int | None, tail: _Tail) -> bool:
    if place is None:
        return False
    if place == PATH:
        tail.leave_path(parent)
        tail.leaf = uuid
    tail.add(uuid, place)
    return True
