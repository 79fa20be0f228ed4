"""Makes the context of a request of the rows before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from sessions.context.engine.captured import (
    Captures,
    elements_sent,
    given_by,
    never_captured,
)
from sessions.context.engine.certainty import Given
from sessions.context.engine.chain.out_of_order import (
    Later,
    log_of,
    summary_of,
    way_up,
)
from sessions.context.engine.chain.reader import Reader
from sessions.context.engine.chain.rereads import Loss
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.turns import Turns
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import Sender
from sessions.context.engine.rendering.answers import (
    going_on,
    is_cut,
    is_over,
    open_calls,
    sent_answer,
)
from sessions.context.engine.rendering.array import Element, elements_of, in_turn
from sessions.context.engine.rendering.cleared_results import Clearing
from sessions.context.engine.rendering.inherited import Inherited
from sessions.context.engine.rendering.notices import sent_notices
from sessions.context.engine.rendering.overlaid_records import (
    as_user,
    folded_in,
    overlaid,
    placeholder,
)
from sessions.context.engine.rendering.overlays import Span
from sessions.context.engine.rendering.records import Said, said
from sessions.context.engine.rendering.reminders import Reminders
from sessions.context.engine.rendering.tool_loading import CHANGE, Loading
from sessions.context.engine.request import Context, Part
from sessions.context.engine.request_log import (
    REQUEST,
    Logged,
    Lookup,
    RequestLog,
)
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import MessageKind

_SPARE = 2_048
_NOTHING = Given()
_COPY = int(Flag.COPY)


class Records(Protocol):
    """Gives the record at a position."""

    def __call__(self, position: int) -> Mapping[str, Any]: ...


class Viewer:
    """Feed it rows in file order and ask for contexts in between. It holds what the last one was made of."""

    def __init__(
        self,
        records: Records,
        lookup: Lookup,
        later: Later,
        captures: Captures = never_captured,
        inherited: Inherited | None = None,
    ) -> None:
        self._records = records
        self._inherited = inherited
        self._captures = captures
        self._later = later
        self._early: set[int] = set()
        """Positions of rows that were fed before their turn."""
        self._walk = Walk()
        self._log = RequestLog(lookup)
        self._answered = -1
        """Where the newest answer began."""
        self._message: int | None = None
        self._snapshot: int | None = None
        self._said: dict[int, Said | None] = {}
        self._room = _SPARE
        self._parts: list[Part] = []
        self._sender, self._habits, self._takes_system = Sender(), Sender().habits, True
        self._open = False
        """The last part was made while results could still come, and one has not."""
        self._turns = Turns()
        self._reader = Reader(self._walk)
        self._clearing = Clearing()
        self._reminders = Reminders()
        self._loading, self._unloads = Loading(), False

    def feed(self, row: LinkRow) -> None:
        if self._early and row.position in self._early:
            self._early.remove(row.position)
            return
        if row.type == "assistant" and self._walk.misses(row):
            self._feed_late(row)
        self._walk.feed(row)
        if row.type == "assistant":
            if row.message is not None and row.message != self._message:
                self._message, self._answered = row.message, row.position
        elif row.type == REQUEST:
            self._log.feed(self._records(row.position), row.position)
        elif row.detail == "prompt_snapshot":
            self._snapshot = row.position
        elif row.detail == CHANGE:
            self._unloads = True

    def needed(self, link: int | None, position: int) -> list[int]:
        """The positions of the records that `at` will ask for, so that they can be fetched at once."""
        segments, _ = self._walk.segments(link, position)
        wanted = [one for segment in segments for one in segment.positions if one not in self._said]
        return wanted if self._snapshot is None else [*wanted, self._snapshot]

    def at(
        self,
        link: int | None,
        position: int,
        *,
        request: str = "",
        ref: str = "",
        sender: Sender | None = None,
        copied: bool = False,
    ) -> Context:
        """The context of what stands at `position` and hangs on the row with this key, or would. `ref`: the name that
        the request has in the client's log. `copied`: the request was made in another session."""
        segments, same = self._walk.segments(link, position)
        sender = sender or Sender()
        self._make(segments, same, sender, answer=position if request else -1)
        captured = self._captures(request) if request else None
        logged, recorded = self._logged(position, ref) if request and captured is None else (None, None)
        if captured is not None:
            recorded = elements_sent(captured, self._made())
        return Context(
            request,
            position,
            sender.model,
            tuple(self._parts),
            logged,
            recorded,
            self._given(logged, sender) if captured is None else given_by(captured),
            self._walk.overlays,
            self._walk.start(),
            self._walk.broken_off() is not None,
            captured,
            self._reader.unsure or (copied and self._habits.loss is Loss.ALL),
            copied,
        )

    def at_request(self, row: LinkRow) -> Context:
        """The context of the request whose answer begins with this row, which is not fed yet."""
        record = self._records(row.position)
        self._said[row.position] = said(record, row)
        request, ref = text(mapping(record.get("message")).get("id")), text(record.get("requestRef"))
        if self._walk.misses(row):
            self._feed_late(row)
        if ref and self._log.named(ref) is None:
            self._feed_log(ref, row.position)
        link, sender = self._walk.parent_of(row), Sender.of(record)
        copied = bool(row.flags & _COPY)
        return self.at(link, row.position, request=request, ref=ref, sender=sender, copied=copied)

    def _feed_late(self, answer: LinkRow) -> None:
        """What belongs before an answer counts for it, even where it was written after it."""
        later = self._following(answer.position)
        parent = self._walk.parent_of(answer)
        known, awaited = self._walk.knows, self._walk.awaited
        ways = way_up(parent, answer, known, later) if parent == answer.parent else summary_of(parent, later)
        for row in ways or way_up(awaited, answer, known, later):
            self._walk.feed(row)
            self._early.add(row.position)

    def _feed_log(self, ref: str, position: int) -> None:
        for row, record in log_of(ref, self._following(position), self._records):
            self._log.feed(record, row.position)
            self._early.add(row.position)

    def _following(self, position: int) -> list[LinkRow]:
        return [row for row in self._later(position) if row.position not in self._early]

    def _make(self, segments: Sequence[Segment], same: int, sender: Sender, *, answer: int) -> None:
        """`answer`: the position of the one that follows; -1 if none does."""
        spans = self._walk.overlays.spans
        same = 0 if spans else min(same, len(self._parts) - self._open)
        if sender != self._sender:
            same, self._sender, self._habits, self._takes_system = 0, sender, sender.habits, sender.takes_system
        habits = self._habits
        same = self._turns.go_on(segments, same, self._walk.rows)
        same = self._reader.go_on(segments, same, habits, self._one, answer)
        if habits.clears and self._clearing.go_on(segments, same, self._one, answer, self._reader.at):
            same = 0
        if self._unloads and habits.unloads:
            same = 0 if self._loading.go_on(segments, same, self._walk.rows, self._records) else same
        if self._inherited is not None:
            self._reminders.go_on(segments, same, self._walk.rows)
        del self._parts[same:]
        folded = folded_in(segments, spans, self._walk) if spans else {}
        for at, segment in enumerate(segments[same:], same + 1):
            part = self._part(segment, folded, at - 1, last=at == len(segments), asked=answer >= 0)
            self._parts.append(part)
        if len(self._said) > self._room:
            self._spare()

    def _part(self, segment: Segment, folded: Mapping[int, Span | None], at: int, *, last: bool, asked: bool) -> Part:
        habits, current = self._habits, self._turns.is_current(at)
        left = self._reader.left(segment)
        answer = self._all(left.answer, folded)
        others = self._all([*left.results, *self._sent_rest(left.rest)], folded)
        if self._inherited is not None and left.results:
            first, due = at == 1 and self._walk.start() < 0, self._reminders.is_due(at)
            others = [*others, *self._inherited.said(habits, first=first, due=due)]
        if self._clearing.cleared and habits.clears:
            others = [self._clearing.without(one) for one in others]
        if self._loading.gone and habits.unloads:
            others = [self._loading.without(one) if one.message.kind is MessageKind.RESULT else one for one in others]
        if current and any(one.afterwards for one in others):
            others = [one for one in others if not one.afterwards]
            self._turns.passing(at)
        if not self._takes_system:
            others = [as_user(one, habits) if one.tagged else one for one in others]
        elif current and any(one.passing for one in others):
            others = [as_user(one, habits) if one.passing else one for one in others]
            self._turns.passing(at)
        waiting = open_calls(answer, others)
        cut = is_cut(answer) or is_cut(others)
        if cut and current and (asked or not last) and (added := going_on(others, habits)) is not None:
            others = [*others, added]
            self._turns.passing(at)
        self._open = last and (bool(waiting) or cut)
        over = bool(waiting) and (asked or not last or is_over(others))
        sent = sent_answer(answer, waiting, self._sender, over=over, read=self._reader.was_read(segment))
        elements = elements_of(sent, others, calls_last=habits.calls_last)
        return Part(segment, (*sent, *others), elements, self._parts[-1] if self._parts else None)

    def _sent_rest(self, positions: list[int]) -> list[int]:
        rows = self._walk.rows
        for position in positions:
            if rows[position].type == "system":
                return sent_notices([rows[position] for position in positions], self._habits)
        return positions

    def _one(self, position: int) -> Said | None:
        known = self._said
        if position in known:
            return known[position]
        one = known[position] = said(self._records(position), self._walk.rows[position])
        return one

    def _all(self, positions: Sequence[int], folded: Mapping[int, Span | None]) -> list[Said]:
        overlays, speak = self._walk.overlays, self._one
        if overlays.plain:
            return [one for position in positions if (one := speak(position)) is not None]
        found = []
        for position in positions:
            if position in folded:
                span = folded[position]
                if span is not None:
                    found.append(placeholder(span))
                continue
            row = self._walk.rows[position]
            if row.uuid in overlays.snipped or row.uuid in overlays.hidden:
                continue
            one = speak(position)
            if one is not None:
                found.append(overlaid(one, overlays) if one.message.kind is MessageKind.RESULT else one)
        return found

    def _logged(self, position: int, ref: str) -> tuple[Logged | None, tuple[Element, ...] | None]:
        """The log's word for this request: by its name, or if it was made after the answer before."""
        logged = self._log.named(ref)
        if logged is None:
            logged = self._log.last
            if logged is None or not self._answered < logged.position < position:
                return None, None
        if logged.hashes is None:
            return logged, None
        return logged, self._log.resolve(logged.hashes, self._made())

    def _made(self) -> tuple[Element, ...]:
        return in_turn(part.elements for part in self._parts)

    def _given(self, logged: Logged | None, sender: Sender) -> Given:
        """A snapshot says nothing about the requests of a client that is too old to write one."""
        if logged is None and self._snapshot is None:
            return _NOTHING
        shape = self._log.shape(logged.shape) if logged is not None else None
        snapshot = self._snapshot if sender.habits.writes_words else None
        if shape is not None:
            given = Given.of_shape(shape)
        else:
            given = Given.of_snapshot(self._records(snapshot)) if snapshot is not None else Given()
        return given if logged is None else replace(given, params=logged.params, marks=logged.marks)

    def _spare(self) -> None:
        """What left the context need not be held."""
        used = {position for part in self._parts for position in part.segment.positions}
        self._said = {position: one for position, one in self._said.items() if position in used}
        self._room = 3 * len(self._said) + _SPARE
