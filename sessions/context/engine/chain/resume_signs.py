"""When a session was read again: a client that was started anew makes its requests of what it read from the file, and
some versions read less of it than they wrote. No record says so; what a client writes when it stops and starts does."""

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
    """What is gone of the rows that the chain of parents does not lead through."""

    NOTHING = "nothing"
    NOTES = "notes"
    ALL = "all"
    """Results as well, and the calls that they answer."""


@dataclass(slots=True)
class ResumeSigns:
    newest_after_stop: int = -1
    """The newest prompt that follows what a client writes when it stops."""
    not_typed: set[int] = field(default_factory=set)
    """Prompts that were not typed in a terminal: the client was started with them, or was given them by another program
    while it ran."""
    after_own_progress: set[int] = field(default_factory=set)
    """Prompts before which a client told of the progress of earlier calls: it had made them itself."""
    _has_stopped: bool = False
    _has_own_progress: bool = False
    _answered_at: int = 0
    """When the newest answer came."""
    _follows_aside: bool = False
    """The newest words of the user are the client's own."""
    _queue_operations: int = 0
    """Prompts that were put into the queue or taken from it since the person, or a tool, last said something."""

    def feed(self, row: LinkRow) -> bool:
        """Returns whether a client has begun with this row that had stopped before."""
        kind = row.type
        if kind == "assistant":
            if self._has_stopped and not self._follows_aside and not row.flags & _SIDECHAIN:
                self._has_stopped = False
            self._has_own_progress, self._answered_at = False, row.at or 0
        elif kind == "user":
            # A client that finds a turn unfinished says so to itself, and answers, before it takes the prompt.
            self._follows_aside = row.flags & _ASIDE == _META
            if row.flags & _SIDECHAIN or self._follows_aside:
                return False
            if not row.flags & _NOT_PROMPT:
                self._note_prompt(row)
            self._has_stopped, self._has_own_progress, self._queue_operations = False, False, 0
            return self.newest_after_stop == row.position
        elif kind == "last-prompt":
            self._has_stopped = True
        elif row.detail == "stop_hook_summary":
            self._has_stopped = False  # of the turn before: the client is still there to tell of it
        elif kind == "progress":
            self._has_own_progress = self._has_own_progress or (row.at is not None and row.at <= self._answered_at)
        elif kind == "queue-operation":
            self._queue_operations += 1
        elif kind == "file-history-snapshot":
            self._queue_operations = 0  # a terminal's: there a prompt is queued only if the model is at work
        return False

    def _note_prompt(self, row: LinkRow) -> None:
        if self._has_stopped:
            self.newest_after_stop = row.position
        if self._queue_operations and row.flags & _PROMPT:
            self.not_typed.add(row.position)
        if self._has_own_progress:
            self.after_own_progress.add(row.position)
