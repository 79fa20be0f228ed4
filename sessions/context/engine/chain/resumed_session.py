"""What is left of a session after a resume, when the client has read it from the file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from sessions.context.engine.chain.resume_signs import ResumeLoss
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.token_cost import OffChainRows, RenderAt, is_lighter
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import ClientBehaviour
from sessions.context.engine.rendering.records import RenderedRecord, is_blank
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_THINKING = int(Flag.THINKING)
_TYPED, _COMMAND, _ASIDE = (
    int(Flag.TYPED),
    int(Flag.COMMAND),
    int(Flag.META | Flag.COMMAND | Flag.SUMMARY | Flag.RESULT),
)
NO_POSITION = sys.maxsize


@dataclass(slots=True)
class ResumedSession:
    walk: Walk
    _behaviour: ClientBehaviour = field(default_factory=ClientBehaviour)
    read_until: int = -1
    """The client read everything before this row from the file; -1 if it read nothing."""
    _newest_unresumed: int = -1
    """The newest prompt to the client that began the session."""
    _newest_certain: int = -1
    """The newest prompt for which it is certain whether the session was resumed before it."""
    _newest_prompt: int = -1
    _is_streamed: bool = False
    """The newest prompt came from a program that keeps the client running."""
    has_ties: bool = False
    """Notes that the client orders by their times have the same time."""
    _first_off_chain: int = NO_POSITION
    """The first row off the chain, which a resume would lose."""

    def advance(
        self, segments: Sequence[Segment], same: int, behaviour: ClientBehaviour, render: RenderAt, answer: int
    ) -> int:
        """Take the segments of the next context, and return how many of them are sent as before. `answer`: the position
        of its answer, or -1."""
        former, self._behaviour = (self._behaviour, self.read_until), behaviour
        if behaviour.resume_loss is ResumeLoss.NOTHING:
            self.read_until = -1
        elif behaviour.resume_loss is ResumeLoss.NOTES:
            self.read_until = self.walk.resume_signs.newest_after_stop
        else:
            if not same:
                # Only rows since the compaction count.
                self.read_until = self._newest_unresumed = self._newest_certain = self._newest_prompt = -1
                self._first_off_chain = NO_POSITION
            self.read_until = max(self.read_until, self.walk.resume_signs.newest_after_stop)
            self._examine_prompts(segments, same, render, answer)
        if former == (behaviour, self.read_until):
            return same
        return self._first_changed(segments, same, former[1], render) if former[0] == behaviour else 0

    def _first_changed(self, segments: Sequence[Segment], same: int, since: int, render: RenderAt) -> int:
        """The first segment that this resume took something from; everything before `since` was read earlier."""
        first = same
        for index in range(same - 1, -1, -1):
            segment = segments[index]
            if max(segment.answer or segment.rest, default=-1) < since:
                break
            if self._may_change(segment, render):
                first = index
        return first

    def _may_change(self, segment: Segment, render: RenderAt) -> bool:
        rows, on_chain = self.walk.rows, self.walk.is_on_chain
        answer, behaviour = segment.answer, self._behaviour
        if answer and all(rows[position].flags & _THINKING for position in answer):
            return True
        if (behaviour.sends_blank_texts or behaviour.sends_empty_texts) and any(
            _has_blanks(render(position)) for position in answer
        ):
            return True
        if (
            behaviour.resume_loss is ResumeLoss.ALL
            or behaviour.sorts_results_by_time
            or not behaviour.finds_kept_results
        ):
            off_chain = (position for position in (*answer, *segment.results) if not on_chain(position))
            if next(off_chain, None) is not None:
                return True
        if self._sort_notes(segment.rest) is not segment.rest:
            return True
        return any(not on_chain(position) and render(position) is not None for position in segment.rest)

    def _examine_prompts(self, segments: Sequence[Segment], same: int, render: RenderAt, answer: int) -> None:
        """Look at each prompt: it may be the first after a resume."""
        off_chain = OffChainRows(segments, self.walk.is_on_chain)
        for index in range(same, len(segments)):
            segment = segments[index]
            for position in segment.rest:
                row = self.walk.rows[position]
                if row.type != "user" or position <= self._newest_prompt or not self._is_prompt(row):
                    continue
                following = segments[index + 1].answer[-1:] if index + 1 < len(segments) else [answer]
                answered = following[0] if following else -1
                if self._was_resumed_before(
                    position, segment, partial(off_chain.find_before, position, index), render, answered
                ):
                    self.read_until = max(self.read_until, position)
                elif row.flags & _COMMAND and 0 <= self._newest_unresumed == self._newest_prompt:
                    self._newest_unresumed = position
                self._newest_prompt = position

    def _is_prompt(self, row: LinkRow) -> bool:
        """A command counts as a prompt if it was not typed in a terminal."""
        aside = _ASIDE if row.position not in self.walk.resume_signs.not_typed else _ASIDE & ~_COMMAND
        return bool(row.flags & (_TYPED | _COMMAND)) and not row.flags & aside

    def _was_resumed_before(
        self,
        position: int,
        segment: Segment,
        off_chain_since: Callable[[int], list[int]],
        render: RenderAt,
        following: int,
    ) -> bool:
        """Was the session resumed before this prompt? docs/evidence.md lists the signs, the surest first. `segment`:
        the one that the prompt ends. `off_chain_since`: the rows off the chain, from a row on."""
        prompt, row = render(position), self.walk.rows[position]
        # Prompts in blocks that follow each other came over the same connection.
        held = self._is_streamed and prompt is not None and (prompt.is_streamed or bool(row.flags & _COMMAND))
        self._is_streamed = held or (prompt is not None and prompt.is_streamed)
        if prompt is not None and prompt.has_todos:
            self._newest_unresumed = self._newest_certain = position
            return False
        if position in self.walk.resume_signs.after_own_progress:
            self._newest_certain = position
            return False
        # Only a client that began the session sends its to-do list (2.0.76 to 2.1.20), and never with a command.
        listless = 0 <= self._newest_unresumed == self._newest_prompt and not row.flags & _COMMAND
        if listless or self._interrupts_answer(segment, position):
            self._newest_certain = position
            return True
        lighter = is_lighter(segment, position, following, off_chain_since(self.read_until), render)
        return position in self.walk.resume_signs.not_typed and not held if lighter is None else lighter

    def _interrupts_answer(self, segment: Segment, prompt: int) -> bool:
        """Is the prompt's parent in the middle of an answer? That happens only after a resume."""
        rows = self.walk.rows
        return rows[prompt].parent in [rows[position].uuid for position in segment.answer[:-1]]

    def keep_read_rows(self, segment: Segment) -> Segment:
        """The segment without the rows that a resume lost."""
        loss = self._behaviour.resume_loss
        if loss is ResumeLoss.NOTHING or (
            loss is ResumeLoss.NOTES and min(segment.answer, default=-1) >= self.read_until
        ):
            return segment
        rest = self._sort_notes(self._drop_lost(segment.rest))
        if loss is ResumeLoss.NOTES and (self._behaviour.finds_kept_results or not self._stands_before_start(segment)):
            results = self._sort_results(segment.results) if self._behaviour.sorts_results_by_time else segment.results
            if rest is segment.rest and results is segment.results:
                return segment
            return Segment(segment.message, segment.answer, results, rest, segment.links)
        answer, results = self._drop_lost(segment.answer), self._drop_lost(segment.results)
        return Segment(segment.message, answer, results, rest, segment.links)

    def _sort_notes(self, positions: list[int]) -> list[int]:
        """Notes that follow each other are read in the order of their times: files that are attached to a summary were
        written in another."""
        rows = self.walk.rows
        notes = [position for position in positions if rows[position].type == "attachment"]
        if self._behaviour.resume_loss is not ResumeLoss.NOTES or len(notes) < 2:
            return positions
        ordered: list[int] = []
        for is_note, group in groupby(positions, lambda position: rows[position].type == "attachment"):
            run = list(group)
            ordered += sorted(run, key=lambda position: rows[position].at or 0) if is_note else run
        if ordered == positions:
            return positions
        self.has_ties = self.has_ties or len({rows[position].at for position in notes}) < len(notes)
        return ordered

    def _stands_before_start(self, segment: Segment) -> bool:
        """Is the segment from before the boundary at which the context starts?"""
        return bool(segment.answer) and segment.answer[-1] < self.walk.start()

    def _sort_results(self, results: list[int]) -> list[int]:
        """Results off the chain come first, ordered by time (2.1.90)."""
        if len(results) < 2 or results[-1] >= self.read_until:
            return results
        on_chain, rows = self.walk.is_on_chain, self.walk.rows
        return sorted(results, key=lambda position: (on_chain(position), rows[position].at or 0, position))

    def _drop_lost(self, positions: list[int]) -> list[int]:
        on_chain = self.walk.is_on_chain
        off_chain = [position for position in positions if not on_chain(position)]
        if not off_chain:
            return positions
        self._first_off_chain = min(self._first_off_chain, off_chain[0])
        return [position for position in positions if position >= self.read_until or position not in off_chain]

    def was_read(self, segment: Segment) -> bool:
        """Did the client read the whole answer from the file?"""
        return bool(segment.answer) and segment.answer[-1] < self.read_until

    @property
    def is_uncertain(self) -> bool:
        """Is it unknown whether a resume lost something?"""
        return (
            self._behaviour.resume_loss is ResumeLoss.ALL
            and self._first_off_chain < self._newest_prompt != self._newest_certain
        )


def _has_blanks(record: RenderedRecord | None) -> bool:
    return record is not None and any(is_blank(block) for block in record.message.content)
