"""What is left of a session for a client that has read it again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from sessions.context.engine.chain.rereads import Loss
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.token_cost import Beside, Speak, is_lighter
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import Habits
from sessions.context.engine.rendering.records import Said, is_blank
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_THINKING = int(Flag.THINKING)
_TYPED, _COMMAND, _ASIDE = (
    int(Flag.TYPED),
    int(Flag.COMMAND),
    int(Flag.META | Flag.COMMAND | Flag.SUMMARY | Flag.RESULT),
)
NOWHERE = sys.maxsize


@dataclass(slots=True)
class Reader:
    walk: Walk
    _habits: Habits = field(default_factory=Habits)
    at: int = -1
    """What stands before this row was read from the file; -1 if nothing was."""
    _fresh: int = -1
    """The newest prompt to a client that had begun the session itself."""
    _sure: int = -1
    """The newest prompt of which it is certain whether the session had been read again."""
    _newest: int = -1
    _streamed: bool = False
    """The newest prompt came from a program that keeps the client running."""
    _beside: int = NOWHERE
    """The first row beside the chain, which another reading would lose."""

    def go_on(self, segments: Sequence[Segment], same: int, habits: Habits, speak: Speak, answer: int) -> int:
        """Takes the segments of the next context, and returns how many of them are told as they were before. `answer`:
        the position of what was answered to it, or -1."""
        former, self._habits = (self._habits, self.at), habits
        if habits.loss is Loss.NOTHING:
            self.at = -1
        elif habits.loss is Loss.NOTES:
            self.at = self.walk.rereads.stopped
        else:
            if not same:
                # What was summarised away tells nothing.
                self.at = self._fresh = self._sure = self._newest = -1
                self._beside = NOWHERE
            self.at = max(self.at, self.walk.rereads.stopped)
            self._look_at(segments, same, speak, answer)
        if former == (habits, self.at):
            return same
        return self._first_changed(segments, same, former[1], speak) if former[0] == habits else 0

    def _first_changed(self, segments: Sequence[Segment], same: int, since: int, speak: Speak) -> int:
        """The first of the segments that this reading left less of; what stands before `since` had been read before."""
        first = same
        for at in range(same - 1, -1, -1):
            segment = segments[at]
            if max(segment.answer or segment.rest, default=-1) < since:
                break
            if self._may_change(segment, speak):
                first = at
        return first

    def _may_change(self, segment: Segment, speak: Speak) -> bool:
        rows, on_chain = self.walk.rows, self.walk.is_on_chain
        answer, habits = segment.answer, self._habits
        if answer and all(rows[one].flags & _THINKING for one in answer):
            return True
        if (habits.blanks or habits.empties) and any(_has_blanks(speak(one)) for one in answer):
            return True
        if habits.loss is Loss.ALL or habits.by_time or not habits.kept_whole:
            beside = (one for one in (*answer, *segment.results) if not on_chain(one))
            if next(beside, None) is not None:
                return True
        return any(not on_chain(position) and speak(position) is not None for position in segment.rest)

    def _look_at(self, segments: Sequence[Segment], same: int, speak: Speak, answer: int) -> None:
        """At the prompts: each may be the first to a client that was started anew."""
        others = Beside(segments, self.walk.is_on_chain)
        for at in range(same, len(segments)):
            segment = segments[at]
            for position in segment.rest:
                row = self.walk.rows[position]
                if row.type != "user" or position <= self._newest or not self._is_prompt(row):
                    continue
                following = segments[at + 1].answer[-1:] if at + 1 < len(segments) else [answer]
                answered = following[0] if following else -1
                if self._is_read_before(position, segment, partial(others.before, position, at), speak, answered):
                    self.at = max(self.at, position)
                elif row.flags & _COMMAND and 0 <= self._fresh == self._newest:
                    self._fresh = position
                self._newest = position

    def _is_prompt(self, row: LinkRow) -> bool:
        """A command is one as well, if the client was given it and not told it by a person at a terminal."""
        aside = _ASIDE if row.position not in self.walk.rereads.given else _ASIDE & ~_COMMAND
        return bool(row.flags & (_TYPED | _COMMAND)) and not row.flags & aside

    def _is_read_before(
        self, position: int, segment: Segment, beside: Callable[[int], list[int]], speak: Speak, following: int
    ) -> bool:
        """`segment`: which the prompt ends. `beside`: what stands beside the chain, from a row on."""
        prompt, row = speak(position), self.walk.rows[position]
        # One of several over the same connection. A command is written as the client words it.
        held = self._streamed and prompt is not None and (prompt.streamed or bool(row.flags & _COMMAND))
        self._streamed = held or (prompt is not None and prompt.streamed)
        if prompt is not None and prompt.fresh:
            self._fresh = self._sure = position
            return False
        if position in self.walk.rereads.went_on:
            self._sure = position
            return False
        # Commands never carry the list.
        listless = 0 <= self._fresh == self._newest and not row.flags & _COMMAND
        if listless or self._is_torn(segment, position):
            self._sure = position
            return True
        lighter = is_lighter(segment, position, following, beside(self.at), speak)
        return position in self.walk.rereads.given and not held if lighter is None else lighter

    def _is_torn(self, segment: Segment, prompt: int) -> bool:
        """Does the prompt hang on the middle of an answer? Only a client that looks for the end of a file does that."""
        rows = self.walk.rows
        return rows[prompt].parent in [rows[position].uuid for position in segment.answer[:-1]]

    def left(self, segment: Segment) -> Segment:
        """What the client still has of it."""
        loss = self._habits.loss
        if loss is Loss.NOTHING or (loss is Loss.NOTES and min(segment.answer, default=-1) >= self.at):
            return segment
        rest = self._read(segment.rest)
        if loss is Loss.NOTES and (self._habits.kept_whole or not self._is_kept(segment)):
            results = self._found(segment.results) if self._habits.by_time else segment.results
            if rest is segment.rest and results is segment.results:
                return segment
            return Segment(segment.message, segment.answer, results, rest, segment.links)
        answer, results = self._read(segment.answer), self._read(segment.results)
        return Segment(segment.message, answer, results, rest, segment.links)

    def _is_kept(self, segment: Segment) -> bool:
        """Does it stand before the boundary that the context starts at?"""
        return bool(segment.answer) and segment.answer[-1] < self.walk.start()

    def _found(self, results: list[int]) -> list[int]:
        """Those beside the chain stand by the time they were written, before the one on it."""
        if len(results) < 2 or results[-1] >= self.at:
            return results
        on_chain, rows = self.walk.is_on_chain, self.walk.rows
        return sorted(results, key=lambda position: (on_chain(position), rows[position].at or 0, position))

    def _read(self, positions: list[int]) -> list[int]:
        on_chain = self.walk.is_on_chain
        others = [position for position in positions if not on_chain(position)]
        if not others:
            return positions
        self._beside = min(self._beside, others[0])
        return [position for position in positions if position >= self.at or position not in others]

    def was_read(self, segment: Segment) -> bool:
        """Was all of its answer read from the file?"""
        return bool(segment.answer) and segment.answer[-1] < self.at

    @property
    def unsure(self) -> bool:
        """Could the client have lost something, or have kept it, and nothing tells for certain?"""
        return self._habits.loss is Loss.ALL and self._beside < self._newest != self._sure


def _has_blanks(one: Said | None) -> bool:
    return one is not None and any(is_blank(block) for block in one.message.content)
