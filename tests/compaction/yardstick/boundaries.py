"""The boundaries of a recording, each with what preceded it, what was attached after it, and the next request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sessions.context.engine import Log, digest
from sessions.context.engine.rendering.records import render_record
from sessions.context.engine.rendering.wording import attachment_texts
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.messages import Message, text_block
from tests.truth.wire import Json, Kind, rows

_HEADING = "Summary:\n"
_ASIDE = (Kind.SIDE, "count_tokens", "head")


@dataclass(frozen=True)
class Attached:
    """An attachment that the client kept, or recorded after a boundary, before the next answer."""

    name: str
    message: Message
    facts: tuple[str, ...]
    """Its texts, worded from what else the record holds: a mask covers the words, and not paths and numbers."""


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
    attached: tuple[Attached, ...]
    later_cores: frozenset[str]
    """The hashes of what was said after the boundary, up to the next answer."""
    request: Json
    """The next request, as it was sent."""
    refusal: str
    """With which the request before the compaction was refused as too long; empty if it was not."""

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


def _requests_after_compactions(folder: Path) -> list[tuple[Json, str]]:
    """Each with the error with which the request before the compaction was refused."""
    sent = [row for row in rows(folder) if row["kind"] not in _ASIDE]
    return [
        (row, refused["response"][1] if refused["status"] == 400 else "")
        for refused, previous, row in zip(sent, sent[1:], sent[2:], strict=False)
        if previous["kind"] == "compact"
    ]


def _before(data: bytes, uuid: str) -> Log:
    """The records that were written before the one with this uuid."""
    return Log(data[: data.rindex(b"\n", 0, data.index(f'"uuid":"{uuid}"'.encode())) + 1])


def _boundary(
    name: str, log: Log, before: Log, row: LinkRow, candidates: list[tuple[Json, str]]
) -> RecordedBoundary | None:
    record = log.record(row.position)
    following = log.rows[row.position + 1 :]
    summary_row = next((later for later in following if log.record(later.position).get("isCompactSummary")), None)
    if summary_row is None:
        return None
    summary_record = log.record(summary_row.position)
    words = text(mapping(summary_record.get("message")).get("content"))
    core = digest(text_block(words))["core"]
    match = next((candidate for candidate in candidates if core in _cores(candidate[0])), None)
    if match is None:
        return None
    candidates.remove(match)
    request, refusal = match
    until = _rows_before_answer(log, following, request)
    metadata = mapping(record.get("compactMetadata"))
    preserved = mapping(metadata.get("preservedSegment"))
    kept_uuids = {key_of(uuid) for uuid in mapping(metadata.get("preservedMessages")).get("allUuids", ())}
    kept_rows = [row for row in before.rows if row.uuid in kept_uuids]
    return RecordedBoundary(
        name,
        text(record.get("version")),
        text(mapping(summary_record.get("summarizeMetadata")).get("direction")),
        text(preserved.get("headUuid")),
        before,
        words.partition(_HEADING)[2].strip() or words,
        core,
        (*_attached(log, kept_rows), *_attached(log, until)),
        frozenset(_cores_of_rows(log, until)),
        request,
        refusal,
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
            facts = attachment_texts(mapping(log.record(row.position).get("attachment")))
            yield Attached(row.detail, rendered.message, facts if len(facts) == len(rendered.message.content) else ())


def _cores_of_rows(log: Log, until: list[LinkRow]) -> Iterator[str]:
    for row in until:
        if row.type != "attachment" and (rendered := render_record(log.record(row.position), row)) is not None:
            yield from (digest(block)["core"] for block in rendered.message.content)


def _cores(request: Json) -> set[str]:
    return {block["core"] for message in request["messages"] for block in message["content"]}
