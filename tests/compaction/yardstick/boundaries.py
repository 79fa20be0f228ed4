"""The boundaries of a recording, each with what preceded it, what was attached after it, and the next request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sessions.context.engine import Log, digest
from sessions.context.engine.rendering.records import render_record, strip_reminder_tags
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.messages import Message, text_block
from tests.truth.wire import Json, Kind, rows

_HEADING = "Summary:\n"
_BEGINNING = 30
_ASIDE = (Kind.SIDE, "count_tokens", "head")


@dataclass(frozen=True)
class Attached:
    """An attachment that the client recorded after a boundary, before the next answer."""

    name: str
    message: Message


@dataclass(frozen=True)
class RecordedBoundary:
    recording: str
    version: str
    direction: str
    """Of a partial compaction; empty if everything was summarised."""
    pivot: str
    """The uuid of the first message that was kept."""
    before: Log
    """The session up to the boundary."""
    summary: str
    """Without the words around it."""
    summary_core: str
    """The hash of the message that holds it, as logs of requests have it."""
    beginnings: tuple[tuple[str, str], ...]
    """How attachments before the boundary begin, and what they are called."""
    attached: tuple[Attached, ...]
    later_cores: frozenset[str]
    """The hashes of what was said after the boundary, up to the next answer."""
    request: Json
    """The next request, as it was sent."""

    @property
    def kind(self) -> str:
        return f"partial-{self.direction.replace('_', '-')}" if self.direction else "full"

    @property
    def records_attachments(self) -> bool:
        """Whether this version records what it attaches: from 2.1.160 on."""
        return bool(self.attached) or "system" in {message["role"] for message in self.request["messages"]}


def boundaries_of(folder: Path) -> Iterator[RecordedBoundary]:
    """In the order of the recording. A boundary after which nothing was sent is left out."""
    candidates = _requests_after_compactions(folder)
    for path in sorted((folder / "projects").rglob("*.jsonl")):
        if path.name.startswith("agent-"):
            continue
        data = path.read_bytes()
        log = Log(data)
        for row in log.rows:
            if row.type == "system" and row.detail == "compact_boundary":
                before = _before(data, text(log.record(row.position).get("uuid")))
                boundary = _boundary(folder.name, log, before, row, candidates)
                if boundary is not None:
                    yield boundary


def _requests_after_compactions(folder: Path) -> list[Json]:
    sent = [row for row in rows(folder) if row["kind"] not in _ASIDE]
    return [row for previous, row in pairwise(sent) if previous["kind"] == "compact"]


def _before(data: bytes, uuid: str) -> Log:
    """The records that were written before the one with this uuid."""
    return Log(data[: data.rindex(b"\n", 0, data.index(f'"uuid":"{uuid}"'.encode())) + 1])


def _boundary(name: str, log: Log, before: Log, row: LinkRow, candidates: list[Json]) -> RecordedBoundary | None:
    record = log.record(row.position)
    following = log.rows[row.position + 1 :]
    summary_row = next((later for later in following if log.record(later.position).get("isCompactSummary")), None)
    if summary_row is None:
        return None
    summary_record = log.record(summary_row.position)
    words = text(mapping(summary_record.get("message")).get("content"))
    core = digest(text_block(words))["core"]
    request = next((candidate for candidate in candidates if core in _cores(candidate)), None)
    if request is None:
        return None
    candidates.remove(request)
    until = _rows_before_answer(log, following, request)
    preserved = mapping(mapping(record.get("compactMetadata")).get("preservedSegment"))
    return RecordedBoundary(
        name,
        text(record.get("version")),
        text(mapping(summary_record.get("summarizeMetadata")).get("direction")),
        text(preserved.get("headUuid")),
        before,
        words.partition(_HEADING)[2].strip() or words,
        core,
        tuple(_beginnings(before)),
        tuple(_attached(log, until)),
        frozenset(_cores_of_rows(log, until)),
        request,
    )


def _rows_before_answer(log: Log, following: list[LinkRow], request: Json) -> list[LinkRow]:
    answer = mapping(request["response"]).get("id")
    until = []
    for row in following:
        if row.detail == "compact_boundary" or (
            row.type == "assistant" and answer in (None, mapping(log.record(row.position).get("message")).get("id"))
        ):
            break
        until.append(row)
    return until


def _attached(log: Log, until: list[LinkRow]) -> Iterator[Attached]:
    for row in until:
        if row.type == "attachment" and (rendered := render_record(log.record(row.position), row)) is not None:
            yield Attached(row.detail, rendered.message)


def _beginnings(before: Log) -> Iterator[tuple[str, str]]:
    for attached in _attached(before, before.rows):
        if words := strip_reminder_tags(text(attached.message.content[0].get("text"))):
            yield words[:_BEGINNING], attached.name


def _cores_of_rows(log: Log, until: list[LinkRow]) -> Iterator[str]:
    for row in until:
        if row.type != "attachment" and (rendered := render_record(log.record(row.position), row)) is not None:
            yield from (digest(block)["core"] for block in rendered.message.content)


def _cores(request: Json) -> set[str]:
    return {block["core"] for message in request["messages"] for block in message["content"]}
