"""When a session was read again: a client that was started anew makes its requests of what it read from the file, and
some versions read less of it than they wrote. No record says so; what a client writes when it stops and starts does."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_NOT_ASKED = int(Flag.RESULT | Flag.META | Flag.SIDECHAIN | Flag.SUMMARY)
_SIDECHAIN = int(Flag.SIDECHAIN)
_ASIDE = int(Flag.META | Flag.RESULT | Flag.SUMMARY | Flag.SIDECHAIN)
_ASKED = int(Flag.TYPED | Flag.COMMAND)
_META = int(Flag.META)


class Loss(Enum):
    """What is gone of the rows that the chain of parents does not lead through."""

    NOTHING = "nothing"
    NOTES = "notes"
    ALL = "all"
    """Results as well, and the calls that they answer."""


@dataclass(slots=True)
class Rereads:
    stopped: int = -1
    """The newest prompt that follows what a client writes when it stops."""
    given: set[int] = field(default_factory=set)
    """Prompts that were not typed in a terminal: the client was started with them, or was given them by another program
    while it ran."""
    went_on: set[int] = field(default_factory=set)
    """Prompts before which a client told of the progress of earlier calls: it had made them itself."""
    _ended: bool = False
    _reported: bool = False
    _answered: int = 0
    """When the newest answer came."""
    _aside: bool = False
    """The newest words of the user are the client's own."""
    _taken: int = 0
    """Prompts that were put into the queue or taken from it since the person, or a tool, last said something."""

    def feed(self, row: LinkRow) -> bool:
        """Returns whether a client has begun with this row that had stopped before."""
        kind = row.type
        if kind == "assistant":
            if self._ended and not self._aside and not row.flags & _SIDECHAIN:
                self._ended = False
            self._reported, self._answered = False, row.at or 0
        elif kind == "user":
            # A client that finds a turn unfinished says so to itself, and answers, before it takes the prompt.
            self._aside = row.flags & _ASIDE == _META
            if row.flags & _SIDECHAIN or self._aside:
                return False
            if not row.flags & _NOT_ASKED:
                self._asked(row)
            self._ended, self._reported, self._taken = False, False, 0
            return self.stopped == row.position
        elif kind == "last-prompt":
            self._ended = True
        elif row.detail == "stop_hook_summary":
            self._ended = False  # of the turn before: the client is still there to tell of it
        elif kind == "progress":
            self._reported = self._reported or (row.at is not None and row.at <= self._answered)
        elif kind == "queue-operation":
            self._taken += 1
        elif kind == "file-history-snapshot":
            self._taken = 0  # a terminal's: there a prompt is queued only if the model is at work
        return False

    def _asked(self, row: LinkRow) -> None:
        if self._ended:
            self.stopped = row.position
        if self._taken and row.flags & _ASKED:
            self.given.add(row.position)
        if self._reported:
            self.went_on.add(row.position)
