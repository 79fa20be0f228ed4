"""Signs of a resume. A client that resumes a session builds its requests from what it reads in the file, and some
versions read less than they wrote. No record says when that happened; docs/evidence.md lists the signs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_NOT_PROMPT = int(Flag.RESULT | Flag.META | Flag.SIDECHAIN | Flag.SUMMARY)
_SIDECHAIN = int(Flag.SIDECHAIN)
_ASIDE = int(Flag.META | Flag.RESULT | Flag.SUMMARY | Flag.SIDECHAIN)
_PROMPT = int(Flag.TYPED | Flag.COMMAND)
_META = int(Flag.META)


class ResumeLoss(Enum):
    """Which rows off the chain of parents are lost in a resume."""

    NOTHING = "nothing"
    NOTES = "notes"
    ALL = "all"
    """Notes, results, and the calls that these answer."""


@dataclass(slots=True)
class ResumeSigns:
    newest_after_stop: int = -1
    """The newest prompt after `last-prompt`, which the client writes when it stops (from 2.1.75)."""
    stopped_at: int = -1
    """The newest `last-prompt`."""
    not_typed: set[int] = field(default_factory=set)
    """Prompts that came through the queue without a snapshot of files, so not from a terminal (up to 2.1.75)."""
    after_own_progress: set[int] = field(default_factory=set)
    """Prompts before which the client reported progress of earlier calls: it made them itself (2.1.20 to 2.1.75)."""
    _has_stopped: bool = False
    _has_own_progress: bool = False
    _answered_at: int = 0
    """The time of the newest answer."""
    _follows_aside: bool = False
    """The newest message of the user was written by the client."""
    _queue_operations: int = 0
    """How often the queue was used since the last prompt or result."""

    def feed(self, row: LinkRow) -> bool:
        """Returns whether this row is the first prompt after the client stopped."""
        kind = row.type
        if kind == "assistant":
            if self._has_stopped and not self._follows_aside and not row.flags & _SIDECHAIN:
                self._has_stopped = False
            self._has_own_progress, self._answered_at = False, row.at or 0
        elif kind == "user":
            # A client that resumes an unfinished turn writes itself a message and answers it before taking the prompt.
            self._follows_aside = row.flags & _ASIDE == _META
            if row.flags & _SIDECHAIN or self._follows_aside:
                return False
            if not row.flags & _NOT_PROMPT:
                self._note_prompt(row)
            self._has_stopped, self._has_own_progress, self._queue_operations = False, False, 0
            return self.newest_after_stop == row.position
        elif kind == "last-prompt":
            self._has_stopped, self.stopped_at = True, row.position
        elif row.detail == "stop_hook_summary":
            self._has_stopped = False  # the client that reports on the turn before is still running
        elif kind == "progress":
            self._has_own_progress = self._has_own_progress or (row.at is not None and row.at <= self._answered_at)
        elif kind == "queue-operation":
            self._queue_operations += 1
        elif kind == "file-history-snapshot":
            self._queue_operations = 0  # in a terminal, which queues a prompt only while the model works
        return False

    def _note_prompt(self, row: LinkRow) -> None:
        if self._has_stopped:
            self.newest_after_stop = row.position
        if self._queue_operations and row.flags & _PROMPT:
            self.not_typed.add(row.position)
        if self._has_own_progress:
            self.after_own_progress.add(row.position)
