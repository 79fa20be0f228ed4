"""Where the turn of a request begins. Some of what the client sends during a turn is sent differently, or not at all,
once the turn is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sessions.context.engine.chain.segments import Segment
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_NOT_PROMPT = int(Flag.RESULT | Flag.META)


@dataclass(slots=True)
class Turns:
    _prompt_segments: list[int] = field(default_factory=list)
    """For each segment, the latest one up to it that ends with a prompt; -1 if none does."""
    _first_changing: int | None = None
    """The first segment that changes when the turn is over."""

    def advance(self, segments: Sequence[Segment], same: int, rows: Mapping[int, LinkRow]) -> int:
        """Take the segments of the next context, and return how many of them are sent as before."""
        former = self._prompt_segments[-1] if self._prompt_segments else -1
        del self._prompt_segments[same:]
        prompt_segment = self._prompt_segments[-1] if self._prompt_segments else -1
        for index, segment in enumerate(segments[same:], same):
            for position in segment.rest:
                row = rows[position]
                if row.type == "user" and not row.flags & _NOT_PROMPT:
                    prompt_segment = index
                    break
            self._prompt_segments.append(prompt_segment)
        if self._first_changing is None:
            return same
        if prompt_segment != former:
            same = min(same, self._first_changing)
        if same <= self._first_changing:
            self._first_changing = None
        return same

    def is_current(self, index: int) -> bool:
        """Does this segment belong to the current turn?"""
        return index > self._prompt_segments[-1]

    def mark_changing(self, index: int) -> None:
        if self._first_changing is None:
            self._first_changing = index
