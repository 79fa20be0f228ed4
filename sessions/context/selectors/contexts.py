"""Contexts from the archive: of one request, from the few rows that it needs; or of all requests in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.db.models import OuterRef, Q, Subquery

from sessions.archive.selectors.records import Reader
from sessions.capture.selectors.captures import ANY, CaptureLookup, capture_numbers
from sessions.context.engine import Context, ContextBuilder
from sessions.context.engine.chain.out_of_order import AHEAD, find_late_parents
from sessions.context.engine.chain.segments import is_boundary
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import Sender, records_wording
from sessions.context.engine.left_out import LeftOutEntry, find_left_out
from sessions.context.engine.log import PointMissingError, requests_of
from sessions.context.engine.request_log import MESSAGE, REQUEST, SHAPE, RequestLog
from sessions.context.selectors.subagent_notes import load_subagent_notes
from sessions.linking.engine import LinkRow
from sessions.linking.engine.raw_fields import key, keys, mapping
from sessions.linking.engine.rows import needs_record
from sessions.linking.selectors import CHUNK, LinkRows
from sessions.models import Capture, Entry, Request, Transcript
from sessions.models import Mark as StoredMark
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.usage.engine.prices import SYNTHETIC

_ERROR, _SIDECHAIN = int(Flag.ERROR), int(Flag.SIDECHAIN)
PREFETCH_BYTES = 8 * 1024 * 1024
"""Records up to this many bytes are fetched before it is known that they are needed."""
PROMPT = "prompt_snapshot"
_OVERLAYS = ("content-replacement", "marble-origami-commit", "marble-origami-reset")


@dataclass(frozen=True, slots=True)
class ContextPoint:
    """The point at which a context is rebuilt: a row at `position` whose parent is `link`, even if it does not
    exist."""

    position: int
    link: int | None
    request: str = ""
    capture: int | None = ANY
    """The capture of the request; None if it is known that there is none."""

    def name(self, transcript: Transcript) -> str:
        """The same for every page that shows what is sent there."""
        if self.request:
            return f"request {transcript.public_id} {quote(self.request)}"
        return f"point {transcript.public_id} {self.position} {self.link}"


def point_of_request(transcript: Transcript, message_id: str) -> tuple[Transcript, ContextPoint]:
    """The request of an answer, in the transcript or one of its sub-agents."""
    mine = Q(transcript=transcript) | Q(transcript__parent=transcript)
    requests = Request.objects.filter(mine, message_key=key_of(message_id), message_id=message_id)
    captured = Capture.objects.filter(message_key=OuterRef("message_key"), message_id=message_id).order_by("-pk")
    requests = requests.annotate(capture=Subquery(captured.values("pk")[:1]))
    matches = sorted(requests.select_related("transcript"), key=lambda request: request.transcript_id != transcript.pk)
    if not matches:
        raise PointMissingError(f"No request of this session was answered by {message_id}.")
    return matches[0].transcript, ContextPoint(matches[0].position, None, message_id, matches[0].capture)


def point_of_answer(transcript: Transcript, message_id: str) -> tuple[Transcript, ContextPoint]:
    """The same for an answer without usage, for which no request is stored: its first row counts."""
    base = transcript.pk << POSITION_BITS
    answers = Entry.objects.filter(pk__range=(base, base | POSITION_MASK), message_key=key_of(message_id))
    first = next((row for row in answers.order_by("pk") if not row.flags & (_ERROR | _SIDECHAIN)), None)
    if first is None or _is_synthetic(Reader(transcript.source_id).record(first.offset, first.length)):
        raise PointMissingError(f"No request of this session was answered by {message_id}.")
    return transcript, ContextPoint(first.position, None, message_id)


def _is_synthetic(record: Mapping[str, Any]) -> bool:
    """Did the client write this answer itself?"""
    return bool(mapping(record.get("message")).get("model") == SYNTHETIC)


def point_after(entry: Entry) -> ContextPoint:
    return ContextPoint(entry.position + 1, entry.uuid_key)


def point_next(transcript: Transcript) -> ContextPoint:
    """The point at which the session goes on."""
    links = mapping(transcript.state.get("links"))
    leaf = links.get("leaf")
    return ContextPoint(transcript.entries, leaf if isinstance(leaf, int) else None)


def load_context(
    transcript: Transcript, point: ContextPoint, reader: Reader | None = None, *, links: LinkRows | None = None
) -> Context:
    """Rebuild one context. It reads little more than what the context is made of, however long the session is.

    `reader`: of the transcript's source, or `links`: of the transcript, if the caller goes on reading there."""
    boundaries = [boundary for boundary in transcript.ruler.get("boundaries", ()) if boundary < point.position]
    links = links or LinkRows(transcript.pk, transcript.source_id, reader)
    begin = boundaries[-1] if boundaries else 0
    # The parent of an answer may be written after it. Some more rows cost less than another query.
    rows = links.load(begin, point.position + 1 + AHEAD if point.request else point.position)
    rows = [row for row in rows if row.position < point.position + bool(point.request)]
    if boundaries:
        rows = _extend_to_parents(links, boundaries, rows, point)
    return _ContextLoader(transcript, links, rows, point).context()


def _extend_to_parents(
    links: LinkRows, boundaries: list[int], rows: list[LinkRow], point: ContextPoint
) -> list[LinkRow]:
    """The rows, and earlier ones that the chain leads through, because the session may have gone back behind a
    boundary.

    A missing parent need not be in the file at all."""
    begin = boundaries[-1]
    later: list[LinkRow] = []
    while begin:
        gaps = _missing_parents(rows, point, later)
        candidates = (links.load_reaching(gap, boundaries, before=begin) for gap in gaps)
        earlier = next((rows_before for rows_before in candidates if rows_before), None)
        if earlier is not None:
            rows = [*earlier, *rows]
            begin = earlier[0].position
        elif gaps and point.request and gaps[0] == rows[-1].parent and not later:
            # The parent of an answer may be written after it, and the chain goes on from there.
            later = links.load(point.position + 1, point.position + 1 + AHEAD)
        else:
            break
    return rows


def _missing_parents(rows: list[LinkRow], point: ContextPoint, later: list[LinkRow]) -> tuple[int, ...]:
    """Parents on the chain that are not among these rows."""
    walk = Walk()
    before, link = (rows[:-1], rows[-1].parent) if point.request and rows else (rows, point.link)
    for row in before:
        walk.feed(row)
    for row in find_late_parents(link, rows[-1], walk.is_fed, later) if later else ():
        walk.feed(row)
    return walk.find_missing(link, point.position)


class _ContextLoader:
    """Loads the rows from a boundary up to a point, and earlier ones that still count. Usually four queries."""

    def __init__(self, transcript: Transcript, links: LinkRows, rows: list[LinkRow], point: ContextPoint) -> None:
        self._links = links
        self._point = point
        self._begin = begin = rows[0].position if rows else 0
        answer = rows.pop() if point.request else None
        self._answer = answer
        self.link = point.link if answer is None else answer.parent
        positions = [
            row.position for row in rows if needs_record(row.type, row.detail, row.flags) and row.type != "user"
        ]
        logged = [row.position for row in rows if row.type == REQUEST]
        # Nearly all of these rows are sent, so they are fetched at once if they are small.
        small = sum(self._links.locations[row.position][1] for row in rows) <= PREFETCH_BYTES
        self._links.fetch([row.position for row in rows] if small else positions + logged)
        rows = self._links.with_records(rows, positions)
        captured = CaptureLookup({point.request: point.capture})
        self.builder = ContextBuilder(
            self._links.record, self._lookup, self._rows_after, captured, load_subagent_notes(transcript)
        )
        self._logged = {row.tool: row.position for row in rows if row.type in (MESSAGE, SHAPE)}
        self._sought: set[int] = set()
        before = self._load_before(transcript, rows, begin) if begin else []
        for row in (*before, *rows):
            self.builder.feed(row)
        self._rows = rows

    def context(self) -> Context:
        point, links = self._point, self._links
        links.fetch(self.builder.needed_positions(self.link, point.position))
        if self._answer is not None:
            return self.builder.build_for_answer(self._answer)
        return self.builder.build_at(self.link, point.position, sender=self._sender())

    def _sender(self) -> Sender:
        """The sender of the newest answer, as the best guess for the next request."""
        for row in reversed(self._rows):
            if row.type == "assistant" and not row.flags & (_ERROR | _SIDECHAIN):
                sender = Sender.of(self._links.record(row.position))
                if sender.asks_model:
                    return sender
        return Sender()

    def _load_before(self, transcript: Transcript, rows: list[LinkRow], begin: int) -> list[LinkRow]:
        """The rows before the boundary that count: those it kept with overlays of their results, the system prompt, and
        messages of the client's log. One query finds them all."""
        uuids, since = self._kept_rows(rows, begin)
        has_kept = bool(uuids) or since is not None
        # The system prompt holds across boundaries: if these rows have none, the one before counts.
        prompt = records_wording(transcript.version) and not any(row.detail == PROMPT for row in rows)
        self._sought = self._logged_keys(rows) - self._logged.keys()
        if not has_kept and not prompt and not self._sought:
            return []
        types = _OVERLAYS if has_kept else ()
        earlier = self._links.load_any(uuids, self._sought, types, PROMPT if prompt else "", since=since, before=begin)
        self._logged |= {row.tool: row.position for row in earlier if row.type in (MESSAGE, SHAPE)}
        last = max((row.position for row in earlier if row.detail == PROMPT), default=None)
        counting = [
            row
            for row in earlier
            if row.type not in (MESSAGE, SHAPE) and (row.detail != PROMPT or row.position == last or row.uuid in uuids)
        ]
        self._links.fetch([row.position for row in earlier if row.detail != PROMPT or row.position == last])
        return self._links.with_records(counting, [row.position for row in counting if row.type in _OVERLAYS])

    def _kept_rows(self, rows: list[LinkRow], begin: int) -> tuple[set[int], int | None]:
        """The keys of the rows that the boundary kept; or, if it names only the first and the last, the first's
        position."""
        if not rows or not is_boundary(rows[0]):
            return set(), None
        metadata = mapping(mapping(rows[0].extra).get("compactMetadata"))
        segment, messages = mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))
        named = keys(messages.get("uuids")) or keys(messages.get("allUuids"))
        if named or (head := key(segment.get("headUuid"))) is None:
            return set(named), None
        first = self._links.load_keys("uuid_key", [head], before=begin)
        return set(), first[0].position if first else None

    def _logged_keys(self, rows: list[LinkRow]) -> set[int]:
        """The keys of the messages and the shape of the last request in the client's log."""
        log = RequestLog(self._lookup)
        for row in rows:
            if row.type == REQUEST:
                log.feed(self._links.record(row.position), row.position)
        last = log.last
        return {key_of(name) for name in (*(last.hashes or ()), last.shape) if name} if last else set()

    def _rows_after(self, position: int) -> list[LinkRow]:
        """The rows after an answer, which may belong before it. Nothing is loaded for kept answers from before the
        boundary, because their own parents do not matter."""
        if position < self._begin:
            return []
        rows = self._links.load(position + 1, position + 1 + AHEAD)
        self._links.fetch([row.position for row in rows if row.type != "assistant"])
        self._logged |= {row.tool: row.position for row in rows if row.type in (MESSAGE, SHAPE)}
        return self._links.with_records(
            rows, [row.position for row in rows if needs_record(row.type, row.detail, row.flags)]
        )

    def _lookup(self, hashes: Collection[str]) -> Iterator[Mapping[str, Any]]:
        keys_wanted = {key_of(key) for key in hashes}
        missing = keys_wanted - self._logged.keys() - self._sought
        if missing and self._rows[0].position:
            self._sought |= missing
            for row in self._links.load_keys("tool_key", missing, before=self._point.position):
                if row.type in (MESSAGE, SHAPE):
                    self._logged[row.tool] = row.position
        positions = [self._logged[key] for key in keys_wanted if key in self._logged]
        self._links.fetch(positions)
        return (self._links.record(position) for position in positions)


def load_contexts(transcript: Transcript) -> Iterator[Context]:
    """The contexts of all requests of a transcript, in order. Each is complete; only the latest is held in memory."""
    links = LinkRows(transcript.pk, transcript.source_id)
    rows = links.with_records(links.load(0, transcript.entries))
    logged = {row.tool: row.position for row in rows if row.type in (MESSAGE, SHAPE)}

    def lookup(hashes: Collection[str]) -> Iterator[Mapping[str, Any]]:
        positions = [logged[digest_key] for digest in hashes if (digest_key := key_of(digest)) in logged]
        return (links.stream(position) for position in positions)

    captured = CaptureLookup(capture_numbers(transcript))

    def later(position: int) -> list[LinkRow]:
        return rows[position + 1 : position + 1 + AHEAD]

    builder = ContextBuilder(links.stream, lookup, later, captured, load_subagent_notes(transcript))
    starts = {row.position for row in requests_of(rows)}
    for row in rows:
        if row.position in starts and (context := builder.build_for_answer(row)).model != SYNTHETIC:
            yield context
        builder.feed(row)


def load_left_out_among(
    transcript: Transcript, context: Context, positions: Collection[int], links: LinkRows | None = None
) -> dict[int, LeftOutEntry]:
    """The entries at these positions that are not in the context. `links`: may hold their rows already."""
    links = links or LinkRows(transcript.pk, transcript.source_id)
    missing = [position for position in positions if position not in links.rows]
    for start in range(0, len(missing), CHUNK):
        links.load_at(missing[start : start + CHUNK])
    rows = [links.rows[position] for position in sorted(positions) if position in links.rows]
    return {entry.position: entry for entry in find_left_out(context, rows, _load_marks(transcript))}


def load_left_out(
    transcript: Transcript, context: Context, links: LinkRows | None = None
) -> list[tuple[LeftOutEntry, LinkRow]]:
    """Every entry before the point that is not in the context, and why. `links`: if the caller reads more rows
    there."""
    links = links or LinkRows(transcript.pk, transcript.source_id)
    rows = {row.position: row for row in links.load(0, context.position)}
    return [(entry, rows[entry.position]) for entry in find_left_out(context, rows.values(), _load_marks(transcript))]


def _load_marks(transcript: Transcript) -> list[Mark]:
    stored = StoredMark.objects.filter(transcript=transcript).values_list("first", "last", "fate", "by")
    return [Mark(first, last, Fate(fate), by) for first, last, fate, by in stored]
