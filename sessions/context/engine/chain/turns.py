"""Where the turn begins that a request belongs to. Some of what the client says in the course of a turn it tells
otherwise, or no longer, once the turn is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sessions.context.engine.chain.segments import Segment
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_NOT_ASKED = int(Flag.RESULT | Flag.META)


@dataclass(slots=True)
class Turns:
    _begun: list[int] = field(default_factory=list)
    """For each segment the latest one, up to it, that a prompt ends; -1 if none does."""
    _passing: int | None = None
    """The first segment that is told otherwise when the turn is over."""

    def go_on(self, segments: Sequence[Segment], same: int, rows: Mapping[int, LinkRow]) -> int:
        """Takes the segments of the next context, and returns how many of them are told as they were before."""
        former = self._begun[-1] if self._begun else -1
        del self._begun[same:]
        begun = self._begun[-1] if self._begun else -1
        for at, segment in enumerate(segments[same:], same):
            for position in segment.rest:
                row = rows[position]
                if row.type == "user" and not row.flags & _NOT_ASKED:
                    begun = at
                    break
            self._begun.append(begun)
        if self._passing is None:
            return same
        if begun != former:
            same = min(same, self._passing)
        if same <= self._passing:
            self._passing = None
        return same

    def is_current(self, at: int) -> bool:
        """Does this segment belong to the turn that goes on?"""
        return at > self._begun[-1]

    def passing(self, at: int) -> None:
        if self._passing is None:
            self._passing = at
