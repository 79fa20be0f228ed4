"""Builds the context of a request from the rows before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from sessions.context.engine.captured_request import Captures, captured_elements, captured_setup, no_captures
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.chain.out_of_order import (
    FollowingRows,
    find_late_log,
    find_late_parents,
    find_late_summary,
)
from sessions.context.engine.chain.resume_signs import ResumeLoss
from sessions.context.engine.chain.resumed_session import ResumedSession
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.token_cost import tokens_so_far
from sessions.context.engine.chain.turns import Turns
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import Sender
from sessions.context.engine.rendering.answers import (
    continuation_of,
    has_cut_off,
    has_later_words,
    open_calls,
    render_answer,
)
from sessions.context.engine.rendering.array import Element, elements_of, join_elements
from sessions.context.engine.rendering.cleared_results import ResultClearing
from sessions.context.engine.rendering.notices import select_notices
from sessions.context.engine.rendering.overlaid_records import (
    apply_overlays,
    give_user_role,
    name_seen_media,
    place_spans,
    render_span,
)
from sessions.context.engine.rendering.overlays import CollapsedSpan
from sessions.context.engine.rendering.records import RenderedRecord, render_record
from sessions.context.engine.rendering.reminders import TaskReminders
from sessions.context.engine.rendering.subagent_notes import SubagentNotes
from sessions.context.engine.rendering.tool_loading import CHANGE, ToolLoading
from sessions.context.engine.request import Context, ContextPart
from sessions.context.engine.request_log import REQUEST, LoggedRequest, LogLookup, RequestLog
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import MessageKind

_SPARE_RECORDS = 2_048
_NOTHING = RequestSetup()
_COPY = int(Flag.COPY)


class Records(Protocol):
    """Gives the raw record at a position."""

    def __call__(self, position: int) -> Mapping[str, Any]: ...


class ContextBuilder:
    """Feed it rows in file order, and build contexts in between. It keeps the parts of the last context for the
    next."""

    def __init__(
        self,
        records: Records,
        lookup: LogLookup,
        later: FollowingRows,
        captures: Captures = no_captures,
        inherited: SubagentNotes | None = None,
    ) -> None:
        self._records = records
        self._inherited = inherited
        self._captures = captures
        self._later = later
        self._early: set[int] = set()
        """Positions of rows that were fed ahead of their turn."""
        self._walk = Walk()
        self._log = RequestLog(lookup)
        self._newest_answer = -1
        """Where the newest answer begins."""
        self._message: int | None = None
        self._snapshot: int | None = None
        self._rendered: dict[int, RenderedRecord | None] = {}
        self._room = _SPARE_RECORDS
        prompt = inherited.render_prompt() if inherited is not None else None
        self._opening = None
        if prompt is not None:
            self._opening = ContextPart(Segment(None, [], [], [], []), (prompt,), elements_of((), (prompt,)))
        self._parts: list[ContextPart] = []
        self._sender, self._behaviour, self._accepts_system_role = Sender(), Sender().behaviour, True
        self._may_change = False
        """The last part will change: results may still come, or its answer was cut off."""
        self._turns = Turns()
        self._resumed = ResumedSession(self._walk)
        self._clearing = ResultClearing()
        self._reminders = TaskReminders()
        self._loading, self._unloads = ToolLoading(), False

    def feed(self, row: LinkRow) -> None:
        if self._early and row.position in self._early:
            self._early.remove(row.position)
            return
        if row.type == "assistant" and self._walk.is_missing_rows(row):
            self._feed_late_rows(row)
        self._walk.feed(row)
        if row.type == "assistant":
            if row.message is not None and row.message != self._message:
                self._message, self._newest_answer = row.message, row.position
        elif row.type == REQUEST:
            self._log.feed(self._records(row.position), row.position)
        elif row.detail == "prompt_snapshot":
            self._snapshot = row.position
        elif row.detail == CHANGE:
            self._unloads = True

    def needed_positions(self, link: int | None, position: int) -> list[int]:
        """The positions of the records that `build_at` will ask for, so that they can be fetched at once."""
        segments, _ = self._walk.segments(link, position)
        positions = [
            position for segment in segments for position in segment.positions if position not in self._rendered
        ]
        return positions if self._snapshot is None else [*positions, self._snapshot]

    def build_at(
        self,
        link: int | None,
        position: int,
        *,
        request: str = "",
        ref: str = "",
        sender: Sender | None = None,
        copied: bool = False,
    ) -> Context:
        """The context of a row at `position` whose parent has the key `link`, even if the row does not exist yet.
        `ref`: the id of the request in the client's log. `copied`: the request was made in another session."""
        segments, same = self._walk.segments(link, position)
        sender = sender or Sender()
        self._update_parts(segments, same, sender, answer=position if request else -1)
        captured = self._captures(request) if request else None
        logged, recorded = self._find_logged(position, ref) if request and captured is None else (None, None)
        if captured is not None:
            recorded = captured_elements(captured, self._reconstructed())
        return Context(
            request,
            position,
            sender.model,
            self._all_parts(),
            logged,
            recorded,
            self._setup(logged, sender) if captured is None else captured_setup(captured),
            self._walk.overlays,
            self._walk.start(),
            self._walk.missing_parent() is not None,
            captured,
            self._resumed.is_uncertain or (copied and self._behaviour.resume_loss is ResumeLoss.ALL),
            copied,
            max(self._resumed.read_until, self._walk.resume_signs.newest_after_stop),
            sender.version,
            has_ties=self._resumed.has_ties,
        )

    def build_for_answer(self, row: LinkRow) -> Context:
        """The context of the request whose answer begins with this row, which is not fed yet."""
        record = self._records(row.position)
        self._rendered[row.position] = render_record(record, row)
        request, ref = text(mapping(record.get("message")).get("id")), text(record.get("requestRef"))
        if self._walk.is_missing_rows(row):
            self._feed_late_rows(row)
        if ref and self._log.find(ref) is None:
            self._feed_log(ref, row.position)
        link, sender = self._walk.parent_of(row), Sender.of(record)
        copied = bool(row.flags & _COPY)
        return self.build_at(link, row.position, request=request, ref=ref, sender=sender, copied=copied)

    def _feed_late_rows(self, answer: LinkRow) -> None:
        """Feed the rows that belong before an answer but were written after it."""
        later = self._rows_after(answer.position)
        parent = self._walk.parent_of(answer)
        is_fed, awaited = self._walk.is_fed, self._walk.awaited
        ways = (
            find_late_parents(parent, answer, is_fed, later)
            if parent == answer.parent
            else find_late_summary(parent, later)
        )
        for row in ways or find_late_parents(awaited, answer, is_fed, later):
            self._walk.feed(row)
            self._early.add(row.position)

    def _feed_log(self, ref: str, position: int) -> None:
        for row, record in find_late_log(ref, self._rows_after(position), self._records):
            self._log.feed(record, row.position)
            self._early.add(row.position)

    def _rows_after(self, position: int) -> list[LinkRow]:
        return [row for row in self._later(position) if row.position not in self._early]

    def _update_parts(self, segments: Sequence[Segment], same: int, sender: Sender, *, answer: int) -> None:
        """`answer`: the position of the answer that follows; -1 if none does."""
        spans = self._walk.overlays.spans
        same = 0 if spans else min(same, len(self._parts) - self._may_change)
        if sender != self._sender:
            same, self._sender, self._behaviour, self._accepts_system_role = (
                0,
                sender,
                sender.behaviour,
                sender.accepts_system_role,
            )
        behaviour = self._behaviour
        same = self._turns.advance(segments, same, self._walk.rows)
        same = self._resumed.advance(segments, same, behaviour, self._render, answer)
        if behaviour.clears_silently and self._clearing.advance(
            segments, same, self._render, answer, self._resumed.read_until
        ):
            same = 0
        if self._unloads and behaviour.drops_removed_tools:
            same = 0 if self._loading.advance(segments, same, self._walk.rows, self._records) else same
        if self._inherited is not None:
            self._reminders.advance(segments, same, self._walk.rows)
        del self._parts[same:]
        folded = place_spans(segments, spans, self._walk) if spans else {}
        for index, segment in enumerate(segments[same:], same + 1):
            part = self._build_part(segment, folded, index - 1, last=index == len(segments), is_answered=answer >= 0)
            self._parts.append(part)
        if len(self._rendered) > self._room:
            self._drop_unused()

    def _build_part(
        self, segment: Segment, folded: Mapping[int, CollapsedSpan | None], index: int, *, last: bool, is_answered: bool
    ) -> ContextPart:
        behaviour, current = self._behaviour, self._turns.is_current(index)
        left = self._resumed.keep_read_rows(segment)
        answer = self._render_all(left.answer, folded)
        others = self._render_all([*left.results, *self._select_rest(left.rest)], folded)
        if self._inherited is not None and left.results:
            first, due = index == 1 and self._walk.start() < 0, self._reminders.is_due(index)
            used = tokens_so_far(answer[-1] if answer else None)
            others = [*others, *self._inherited.render(behaviour, first=first, due=due, used=used)]
        if self._clearing.cleared and behaviour.clears_silently:
            others = [self._clearing.clear(record) for record in others]
        if self._loading.removed and behaviour.drops_removed_tools:
            others = [
                self._loading.drop_removed(record) if record.message.kind is MessageKind.RESULT else record
                for record in others
            ]
        if current and any(record.is_sent_after_turn for record in others):
            others = [record for record in others if not record.is_sent_after_turn]
            self._turns.mark_changing(index)
        if not self._accepts_system_role:
            others = [give_user_role(record, behaviour) if record.user_blocks else record for record in others]
        elif current and any(record.is_user_role_during_turn for record in others):
            others = [
                give_user_role(record, behaviour) if record.is_user_role_during_turn else record for record in others
            ]
            self._turns.mark_changing(index)
        named = others
        if behaviour.names_seen_media:
            named = [name_seen_media(record, behaviour.names_seen_media) for record in others]
        shows_media = named != others
        others = others if last else named
        waiting = open_calls(answer, others)
        cut = has_cut_off(answer) or has_cut_off(others)
        if cut and current and (is_answered or not last) and (added := continuation_of(others, behaviour)) is not None:
            others = [*others, added]
            self._turns.mark_changing(index)
        self._may_change = last and (bool(waiting) or cut or shows_media)
        over = bool(waiting) and (is_answered or not last or has_later_words(others))
        sent = render_answer(answer, waiting, self._sender, is_over=over, from_file=self._resumed.was_read(segment))
        elements = elements_of(sent, others, calls_last=behaviour.puts_calls_last)
        before = self._parts[-1] if self._parts else None if segment.message is None else self._opening
        return ContextPart(segment, (*sent, *others), elements, before)

    def _select_rest(self, positions: list[int]) -> list[int]:
        rows = self._walk.rows
        for position in positions:
            if rows[position].type == "system":
                return select_notices([rows[position] for position in positions], self._behaviour)
        return positions

    def _render(self, position: int) -> RenderedRecord | None:
        rendered = self._rendered
        if position in rendered:
            return rendered[position]
        record = rendered[position] = render_record(self._records(position), self._walk.rows[position])
        return record

    def _render_all(self, positions: Sequence[int], folded: Mapping[int, CollapsedSpan | None]) -> list[RenderedRecord]:
        overlays, render = self._walk.overlays, self._render
        if overlays.is_empty:
            return [record for position in positions if (record := render(position)) is not None]
        records = []
        for position in positions:
            if position in folded:
                span = folded[position]
                if span is not None:
                    records.append(render_span(span))
                continue
            row = self._walk.rows[position]
            if row.uuid in overlays.snipped or row.uuid in overlays.hidden:
                continue
            record = render(position)
            if record is not None:
                records.append(
                    apply_overlays(record, overlays) if record.message.kind is MessageKind.RESULT else record
                )
        return records

    def _find_logged(self, position: int, ref: str) -> tuple[LoggedRequest | None, tuple[Element, ...] | None]:
        """The request in the client's log: the one with this id, or the last one since the previous answer."""
        logged = self._log.find(ref)
        if logged is None:
            logged = self._log.last
            if logged is None or not self._newest_answer < logged.position < position:
                return None, None
        if logged.hashes is None:
            return logged, None
        return logged, self._log.resolve(logged.hashes, self._reconstructed())

    def _reconstructed(self) -> tuple[Element, ...]:
        return join_elements(part.elements for part in self._all_parts())

    def _all_parts(self) -> tuple[ContextPart, ...]:
        """With the prompt of a sub-agent, if its file begins with an answer."""
        if self._opening is None or (self._parts and self._parts[0].segment.message is None):
            return tuple(self._parts)
        return (self._opening, *self._parts)

    def _setup(self, logged: LoggedRequest | None, sender: Sender) -> RequestSetup:
        """What is known beside the messages. A snapshot counts only for versions that write snapshots."""
        if logged is None and self._snapshot is None:
            return _NOTHING
        shape = self._log.shape(logged.shape) if logged is not None else None
        snapshot = self._snapshot if sender.behaviour.records_wording else None
        if shape is not None:
            setup = RequestSetup.of_shape(shape)
        else:
            setup = RequestSetup.of_snapshot(self._records(snapshot)) if snapshot is not None else RequestSetup()
        return setup if logged is None else replace(setup, params=logged.params, marks=logged.marks)

    def _drop_unused(self) -> None:
        """Forget the records that are no longer in the context."""
        used = {position for part in self._parts for position in part.segment.positions}
        self._rendered = {position: record for position, record in self._rendered.items() if position in used}
        self._room = 3 * len(self._rendered) + _SPARE_RECORDS
