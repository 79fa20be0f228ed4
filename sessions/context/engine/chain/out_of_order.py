"""Rows that were written late. The client writes in bursts, so an answer may come before its prompt, a result before
its call, or a summary or the log of a request after the answer that it led to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sessions.context.engine.request_log import REQUEST
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SUMMARY = int(Flag.SUMMARY)
AHEAD = 64
"""A row that belongs before an answer comes at most this many rows after it."""


class FollowingRows(Protocol):
    """Gives the `AHEAD` rows after a position."""

    def __call__(self, position: int) -> Sequence[LinkRow]: ...


def find_late_parents(
    parent: int | None, answer: LinkRow, is_fed: Callable[[int], bool], later: Sequence[LinkRow]
) -> list[LinkRow]:
    """The later rows that the chain from `parent` leads through, the uppermost first; none if it leads back to the
    answer, because such parents form a ring and were not written late."""
    rows = {row.uuid: row for row in reversed(later) if row.uuid is not None}
    path: list[LinkRow] = []
    while parent is not None and not is_fed(parent) and (row := rows.pop(parent, None)) is not None:
        path.append(row)
        parent = row.parent
    path.reverse()
    return [] if parent is not None and parent == answer.uuid else path


def find_late_summary(boundary: int | None, later: Sequence[LinkRow]) -> list[LinkRow]:
    """The summary of a boundary, if it is among the later rows."""
    return [row for row in later if row.parent == boundary and row.type == "user" and row.flags & _SUMMARY][:1]


def find_late_log(
    request: str, later: Sequence[LinkRow], records: Callable[[int], Mapping[str, Any]]
) -> list[tuple[LinkRow, Mapping[str, Any]]]:
    """The later records of the client's log up to this request; none if the request is not among them."""
    log: list[tuple[LinkRow, Mapping[str, Any]]] = []
    for row in later:
        if row.type == REQUEST:
            record = records(row.position)
            log.append((row, record))
            if record.get("id") == request:
                return log
    return []
