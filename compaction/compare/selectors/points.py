"""Points of a session whose contexts can be compared, by their names in an address.

`request:<message id>`, `entry:<address>` (right after it), `before:<address>` and `after:<address>` of a compaction,
`run:<number>` (what it made) and `run-before:<number>`, `next` (what is sent next).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from django.http import Http404

from compaction.compare.engine.presentation import ContextSide
from compaction.kinds.engine.sizes import measure_sizes
from compaction.kinds.selectors import CompactionMissingError, compaction_get, compactions_of, load_stored_context
from compaction.models import Compaction
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context, PointMissingError, RequestSetup
from sessions.context.engine.certainty import Exactness
from sessions.context.selectors.boundaries import point_after_edit, point_before
from sessions.context.selectors.contexts import (
    PREFETCH_BYTES,
    ContextPoint,
    load_context,
    point_after,
    point_next,
    point_of_request,
)
from sessions.context.selectors.steps import Step, load_steps, locate_steps
from sessions.linking.selectors import LinkRows
from sessions.models import Entry, Transcript
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.engine.flags import Flag
from sessions.weights.engine import WeightTable
from sessions.weights.engine.message_weights import MessageWeights
from sessions.weights.selectors import message_weights, weight_table

NAME_CHARACTERS = 80
MOST = 40
"""Compactions of a kind that are offered as points."""
_SIDECHAIN, _SUMMARY = int(Flag.SIDECHAIN), int(Flag.SUMMARY)
_STATE = frozenset({"content-replacement", "marble-origami-commit"})
_EDITS = frozenset({"microcompact_boundary", "snip_boundary", "snip-boundary"})


@dataclass(frozen=True, slots=True)
class ComparedContext:
    """One of two contexts that are compared."""

    name: str
    """In an address."""
    title: str
    transcript: Transcript
    side: ContextSide
    model: str
    setup: RequestSetup
    address: str
    """Of the page that shows it alone; empty if there is none."""
    context: Context | None
    """What it is; of what a run made, what that was made from. None in what is kept of a comparison: it holds much."""
    compaction: Compaction | None = None
    """The one that made it."""
    point: str = ""
    """What its prompt is called wherever its size is shown."""
    answered: bool = False
    """It was sent, and the model answered."""

    @property
    def loaded_context(self) -> Context:
        """The context of a point that was just made and not stored."""
        assert self.context is not None
        return self.context


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """A record that changed which others are sent."""

    transcript: Transcript
    entry: Entry
    address: str
    reader: Reader

    @property
    def record(self) -> dict[str, Any]:
        return self.reader.record(self.entry.offset, self.entry.length)

    @property
    def summarises(self) -> bool:
        """Whether everything before it leaves. Otherwise it changes a part of it, at once."""
        return self.entry.detail == "compact_boundary" or bool(self.entry.flags & _SUMMARY)

    @property
    def position(self) -> int:
        return self.entry.position


@dataclass(slots=True)
class Points:
    """Finds the points of one session and of its sub-agents, which share what was read."""

    transcript: Transcript
    _links: dict[int, LinkRows] = field(default_factory=dict)
    _steps: dict[int, list[Step]] = field(default_factory=dict)
    _tables: dict[int, WeightTable] = field(default_factory=dict)

    def end(self, name: str) -> ComparedContext:
        match _complete_name(name).split(":", 1):
            case ["next"]:
                return self._end(name, "what is sent next", self.transcript, point_next(self.transcript), "next=1")
            case ["request", rest] if rest:
                return self.request(rest)
            case ["entry", rest] if rest:
                return self._after_entry(rest)
            case ["before", rest] if rest:
                return self.before(self.boundary(rest))
            case ["after", rest] if rest:
                return self.after(self.boundary(rest))
            case ["run-before", rest] if rest:
                return self.around_run(self.compaction(rest))[0]
            case ["run", rest] if rest:
                return self.around_run(self.compaction(rest))[1]
        raise Http404(
            f"{name[:NAME_CHARACTERS]} is no point of a session. Name a request, an entry, a compaction or a run."
        )

    def boundary(self, address: str) -> RecordedCompaction:
        owner, entry = find_entry(self.transcript, address, self.links(self.transcript).reader)
        changes = entry.type in _STATE or entry.detail in _EDITS or entry.detail == "compact_boundary"
        if not changes and not entry.flags & _SUMMARY:
            raise Http404(f"The entry {address[:NAME_CHARACTERS]} is no compaction.")
        return RecordedCompaction(owner, entry, address, self.links(owner).reader)

    def around(self, boundary: RecordedCompaction) -> tuple[ComparedContext, ComparedContext]:
        """Both points around it. Their rows are neighbours and are loaded together."""
        owner, position = boundary.transcript, boundary.position
        begin = max(
            (
                boundary_position
                for boundary_position in owner.ruler.get("boundaries", ())
                if boundary_position < position
            ),
            default=0,
        )
        following = self._find_next_step(boundary)
        end = position + 1 if following is None else self._thread(owner)[following].position + 1
        links = self.links(owner)
        places = [links.locations[row.position] for row in links.load(begin, end)]
        if sum(length for _, length in places) <= PREFETCH_BYTES:
            links.reader.fetch(places)
        return self.before(boundary), self.after(boundary)

    def before(self, boundary: RecordedCompaction) -> ComparedContext:
        """The point just before it: what would have been sent without it."""
        entry, owner = boundary.entry, boundary.transcript
        known = {row.uuid for row in self.links(owner).rows.values() if row.position < entry.position}
        point = point_before(owner, entry, boundary.record, known)
        return self._end(f"before:{boundary.address}", f"before entry {entry.position}", owner, point, "")

    def after(self, boundary: RecordedCompaction) -> ComparedContext:
        """The first request after it, with attachments; for an edit, the point right after it."""
        entry, owner = boundary.entry, boundary.transcript
        name = f"after:{boundary.address}"
        if not boundary.summarises:
            return self._end(name, f"after entry {entry.position}", owner, point_after_edit(owner, entry), "")
        following, steps = self._find_next_step(boundary), self._thread(owner)
        if following is None:
            return self._end(name, "what is sent next", owner, point_next(owner), "next=1")
        title = f"request {following + 1} of {len(steps)}, the first after it"
        return self._of_step(name, title, owner, steps[following])

    def compaction(self, number: str) -> Compaction:
        try:
            row = compaction_get(number)
        except CompactionMissingError as error:
            raise Http404(f"No run {number[:NAME_CHARACTERS]} has made a compaction.") from error
        if self.transcript.pk not in (row.transcript_id, row.transcript.parent_id):
            raise Http404(f"Run {number[:NAME_CHARACTERS]} has compacted another session.")
        return row

    def around_run(self, row: Compaction) -> tuple[ComparedContext, ComparedContext]:
        """Both points of a compaction that Lucid made."""
        point = ContextPoint(row.position, row.link)
        context = load_context(row.transcript, point, links=self.links(row.transcript))
        number = row.run_id or row.pk
        weights = self.weights(row.transcript, context)
        before = _of_context(f"run-before:{number}", f"before run {number}", row.transcript, context, weights, point)
        stored = load_stored_context(row)
        sizes = measure_sizes(context, weights, stored.after, row.report.get("cache_edits", ()))
        side = ContextSide(
            stored.after, context.removed_results, origin="made by the compaction", weights=weights, size=sizes.after
        )
        title = f"after run {number}"
        shared = (row.transcript, side, context.model, context.setup)
        return before, ComparedContext(
            f"run:{number}", title, *shared, address="", context=context, compaction=row, point=f"after {row.pk}"
        )

    def request(self, message_id: str) -> ComparedContext:
        owner = self.transcript
        if all(step.message_id != message_id for step in self._steps_of(owner)):
            try:
                owner, _ = point_of_request(owner, message_id)
            except PointMissingError as error:
                words = f"No request of this session was answered by {message_id[:NAME_CHARACTERS]}."
                raise Http404(words) from error
        step = next(step for step in self._steps_of(owner) if step.message_id == message_id)
        steps = locate_steps(self._steps_of(owner), owner, request=step)
        return self._of_step(f"request:{message_id}", f"request {steps.number} of {len(steps)}", owner, step)

    def _after_entry(self, address: str) -> ComparedContext:
        owner, entry = find_entry(self.transcript, address, self.links(self.transcript).reader)
        query = urlencode({"at": address})
        return self._end(f"entry:{address}", f"right after entry {entry.position}", owner, point_after(entry), query)

    def _of_step(self, name: str, title: str, owner: Transcript, step: Step) -> ComparedContext:
        query = urlencode({"request": step.message_id})
        return self._end(name, title, owner, step.point, query, step.prompt)

    def _end(
        self, name: str, title: str, owner: Transcript, point: ContextPoint, query: str, counted: int | None = None
    ) -> ComparedContext:
        context = load_context(owner, point, links=self.links(owner))
        weights = self.weights(owner, context, counted)
        return _of_context(name, title, owner, context, weights, point, query)

    def weights(self, owner: Transcript, context: Context, counted: int | None = None) -> MessageWeights:
        if owner.pk not in self._tables:
            self._tables[owner.pk] = weight_table(owner)
        return message_weights(context, self._tables[owner.pk], counted)

    def links(self, owner: Transcript) -> LinkRows:
        return self._links.setdefault(owner.pk, LinkRows(owner.pk, owner.source_id))

    def _steps_of(self, owner: Transcript) -> list[Step]:
        if owner.pk not in self._steps:
            self._steps[owner.pk] = load_steps(owner)
        return self._steps[owner.pk]

    def _find_next_step(self, boundary: RecordedCompaction) -> int | None:
        """The index of the first request after the boundary."""
        if not boundary.summarises:
            return None
        steps = enumerate(self._thread(boundary.transcript))
        return next((index for index, step in steps if step.position > boundary.position), None)

    def _thread(self, owner: Transcript) -> tuple[Step, ...]:
        return locate_steps(self._steps_of(owner), owner).steps


def _complete_name(name: str) -> str:
    """Adds the type to a bare id, because people paste ids without it."""
    if ":" in name or name == "next":
        return name
    if name.isascii() and name.isdigit():
        return f"run:{name}"
    return f"request:{name}" if name.startswith("msg_") else f"entry:{name}"


def _of_context(
    name: str,
    title: str,
    owner: Transcript,
    context: Context,
    weights: MessageWeights,
    point: ContextPoint,
    query: str = "",
) -> ComparedContext:
    records = [record for part in context.parts for record in part.records]
    inexact = frozenset(index for index, record in enumerate(records) if not record.exact)
    recorded = context.exactness is Exactness.RECORDED
    origin = "the client's log of the request" if recorded else "made by the client"
    side = ContextSide(
        context.messages, context.removed_results, inexact, origin, weights=weights, size=weights.context
    )
    address = f"/sessions/{quote(owner.public_id, safe='')}/context/?{query}" if query else ""
    shared = (owner, side, context.model, context.setup)
    return ComparedContext(
        name, title, *shared, address, context, point=point.name(owner), answered=bool(point.request)
    )


def choices_of(transcript: Transcript) -> list[tuple[str, str]]:
    """Points that people are likely to compare, with their titles."""
    choices = [("next", "what is sent next")]
    for position in transcript.ruler.get("boundaries", ())[-MOST:]:
        choices += [
            (f"before:L{position}", f"before the compaction at entry {position}"),
            (f"after:L{position}", f"after the compaction at entry {position}"),
        ]
    for row in compactions_of(transcript)[:MOST]:
        number = row.run_id or row.pk
        choices += [
            (f"run:{number}", f"after the {row.kind} compaction of run {number}"),
            (f"run-before:{number}", f"before the {row.kind} compaction of run {number}"),
        ]
    return choices
