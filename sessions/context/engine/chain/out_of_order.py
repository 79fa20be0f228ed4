"""Rows that were written late. The client writes in bursts, and now and then an answer stands before the prompt that it
answers, or before the log of its request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sessions.context.engine.request_log import REQUEST
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SUMMARY = int(Flag.SUMMARY)
AHEAD = 64
"""So many rows after an answer may hold what belongs before it."""


class FollowingRows(Protocol):
    """Gives the rows that follow a position, as many as are looked at."""

    def __call__(self, position: int) -> Sequence[LinkRow]: ...


def find_late_parents(
    parent: int | None, answer: LinkRow, is_fed: Callable[[int], bool], later: Sequence[LinkRow]
) -> list[LinkRow]:
    """Those of the later rows that the way up from `parent` leads through, the uppermost first; none if it leads back
    to the answer: parents that go in a ring were not written late."""
    rows = {row.uuid: row for row in reversed(later) if row.uuid is not None}
    path: list[LinkRow] = []
    while parent is not None and not is_fed(parent) and (row := rows.pop(parent, None)) is not None:
        path.append(row)
        parent = row.parent
    path.reverse()
    return [] if parent is not None and parent == answer.uuid else path


def find_late_summary(boundary: int | None, later: Sequence[LinkRow]) -> list[LinkRow]:
    """The later row that is the summary of a boundary."""
    return [row for row in later if row.parent == boundary and row.type == "user" and row.flags & _SUMMARY][:1]


def find_late_log(
    request: str, later: Sequence[LinkRow], records: Callable[[int], Mapping[str, Any]]
) -> list[tuple[LinkRow, Mapping[str, Any]]]:
    """The later records of the log up to this request; none if it is not among them."""
    log: list[tuple[LinkRow, Mapping[str, Any]]] = []
    for row in later:
        if row.type == REQUEST:
            record = records(row.position)
            log.append((row, record))
            if record.get("id") == request:
                return log
    return []
