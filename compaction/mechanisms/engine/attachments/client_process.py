"""The process of the client that would compact: how long it has been running, and whether its latest answer is an
error.

No record says when a client was started. It writes its cost when it ends; a prompt that a program passes to a client
that is started for it comes through the queue, without a snapshot of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_NO_PROMPT = int(Flag.RESULT | Flag.META | Flag.SIDECHAIN | Flag.SUMMARY)
_SIDECHAIN, _ERROR = int(Flag.SIDECHAIN), int(Flag.ERROR)


class ClientProcess(NamedTuple):
    resumed_at: int = -1
    """It read everything before this position from the file; -1 if nothing."""
    error_at: int = -1
    """Where it wrote an error in place of the latest answer; -1 if that is no error."""


def find_process(rows: Iterable[LinkRow], is_streamed: Callable[[int], bool]) -> ClientProcess:
    """`rows`: those up to the moment. `is_streamed`: whether the prompt at a position came from a program that keeps
    the client running."""
    resumed_at = error_at = position = prompt = -1
    has_ended = is_queued = False
    for row in rows:
        position = row.position
        if row.type == "cost-state":
            has_ended = True
        elif row.type == "queue-operation":
            is_queued = True
        elif row.type == "file-history-snapshot":
            is_queued = False  # in a terminal
        elif row.flags & _SIDECHAIN:
            continue
        elif row.type == "assistant":
            is_queued = False
            error_at = position if row.flags & _ERROR else -1
        elif row.type == "user" and not row.flags & _NO_PROMPT:
            prompt = position
            if has_ended or (is_queued and not is_streamed(prompt)):
                resumed_at = position
            has_ended = is_queued = False
    if has_ended or (is_queued and not (prompt >= 0 and is_streamed(prompt))):
        resumed_at = position + 1
    return ClientProcess(resumed_at, error_at)
