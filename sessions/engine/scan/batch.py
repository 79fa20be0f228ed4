"""What one stretch of a file gave: plain tuples, cheap to send between processes and ready for `executemany`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sessions.engine.linking import LinkRow
from sessions.engine.usage import Usage


class EntryRow(NamedTuple):
    position: int
    offset: int
    length: int
    type: str
    detail: str
    uuid_key: int | None
    parent_key: int | None
    message_key: int | None
    tool_key: int | None
    at: int | None
    turn: int
    flags: int


class RequestRow(NamedTuple):
    message_key: int
    position: int
    turn: int
    message_id: str
    request_id: str
    agent: str
    model: str
    at: int | None
    usage: Usage


class TurnRow(NamedTuple):
    number: int
    first: int
    last: int
    started: int | None
    ended: int | None
    calls: int
    errors: int


class ProblemRow(NamedTuple):
    line: int
    offset: int
    length: int
    kind: str
    detail: str


@dataclass(slots=True)
class Batch:
    entries: list[EntryRow] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)
    requests: dict[int, RequestRow] = field(default_factory=dict)
    turns: list[TurnRow] = field(default_factory=list)
    problems: list[ProblemRow] = field(default_factory=list)
    oddities: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """(what, name) -> [count, first position]"""
    links: list[LinkRow] = field(default_factory=list)
