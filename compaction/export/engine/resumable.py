"""A compacted context as a transcript of its own, in the client's format, so that the agent itself can go on from it.

Every row is new: its own uuid, hanging on the one before, in a session of its own. What the rows say is what the
context says; what they say about themselves (times, models, versions) is taken from the records that they come from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import orjson

from compaction.mechanisms.engine.compaction.boundary import (
    Boundary,
    Direction,
    PreservedMessages,
    PreservedSegment,
    Trigger,
    is_boundary,
)
from compaction.mechanisms.engine.compaction.record import Compaction
from sessions.context.engine.rendering.records import LOADED
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    Role,
    text_block,
)

Row = dict[str, Any]
Records = Callable[[Message], Mapping[str, Any] | None]
"""The record that a message comes from; None where it has none."""

_SPENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_ELSEWHERE = ("agentId", "forkedFrom", "logicalParentUuid", "sourceToolAssistantUUID", "attributionAgent")
"""Keys that speak of the session that a row comes from."""
_LOADED = text_block(LOADED)


@dataclass(frozen=True, slots=True)
class Envelope:
    """What all rows of the new transcript share."""

    session_id: str
    cwd: str = ""
    version: str = ""
    branch: str = ""
    made_at: float = 0.0
    """When it is made: the time of the rows that no record stands behind."""
    title: str = ""
    """By which people find it again: there may be no words of a person left in it."""


@dataclass(frozen=True, slots=True)
class Sizes:
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Origin:
    """Where it was made from: the last row says so, to whoever reads the file."""

    session_id: str
    kind: str
    run: int


def resumable_rows(
    after: Sequence[Message],
    records: Records,
    envelope: Envelope,
    *,
    compaction: Compaction | None = None,
    sizes: Sizes | None = None,
    origin: Origin | None = None,
) -> list[Row]:
    """The rows of the new transcript, in order. `after` is a context as `apply_kind` leaves it."""
    writer = _Writer(records, envelope)
    rows = _write_rows(writer, after, compaction, sizes or Sizes())
    if origin is not None:
        rows.append(writer.origin(origin, rows[-1]["uuid"] if rows else None))
    if envelope.title:
        rows.append({"type": "custom-title", "customTitle": envelope.title, "sessionId": envelope.session_id})
    return rows


def _write_rows(writer: _Writer, after: Sequence[Message], compaction: Compaction | None, sizes: Sizes) -> list[Row]:
    spoken = [message for message in after if message.content and not is_boundary(message)]
    if compaction is not None:
        place = next(at for at, message in enumerate(spoken) if message.uuid == compaction.summary.uuid)
        if compaction.direction is Direction.FROM:
            return writer.rows_before_boundary(spoken, place, compaction)
        return writer.rows_after_boundary(spoken[place:], compaction)
    for place, message in enumerate(spoken):
        if message.kind is MessageKind.SUMMARY and (writer.records(message) or {}).get("isCompactSummary"):
            # It was compacted before, and begins where that left it.
            return writer.rows_of_earlier_summary(spoken, place, sizes)
    return list(writer.rows(spoken, None))


def to_jsonl(rows: Sequence[Row]) -> bytes:
    return b"".join(_line(row) + b"\n" for row in rows)


def _line(row: Row) -> bytes:
    try:
        return orjson.dumps(row)
    except TypeError:  # lone surrogates and huge integers, which transcripts contain
        return json.dumps(row, separators=(",", ":")).encode()


@dataclass(slots=True)
class _Writer:
    records: Records
    envelope: Envelope
    calls: dict[str, str] = field(default_factory=dict)
    """tool_use id -> the new uuid of the row that makes the call."""
    count: int = 0

    def rows_after_boundary(self, spoken: Sequence[Message], made: Compaction) -> list[Row]:
        """Boundary, summary, then what was kept and what is attached."""
        boundary, anchor = self.new_uuid("boundary"), self.new_uuid("summary")
        rest = spoken[len(made.inserted) :]
        appended = {message.uuid for message in made.appended}
        rows = [*self.rows(rest, anchor, notes=appended)]
        kept = [row["uuid"] for row, message in zip(rows, rest, strict=True) if message.uuid not in appended]
        return [self.boundary(made.boundary, boundary, anchor, kept), self.summary(made, anchor, boundary), *rows]

    def rows_before_boundary(self, spoken: Sequence[Message], place: int, made: Compaction) -> list[Row]:
        """What was kept comes first. It hangs on the boundary, which stands after it in the file, as the client
        itself has it: readers would take a summary that follows other messages for the beginning of everything."""
        kept = list(self.rows(spoken[:place], None))
        boundary, anchor = self.new_uuid("boundary"), self.new_uuid("summary")
        return [
            *kept,
            self.boundary(made.boundary, boundary, boundary, [row["uuid"] for row in kept]),
            self.summary(made, anchor, boundary),
            *self.rows(spoken[place + len(made.inserted) :], anchor),
        ]

    def rows_of_earlier_summary(self, spoken: Sequence[Message], place: int, sizes: Sizes) -> list[Row]:
        """An earlier summary goes on; notes may stand between it and the boundary."""
        boundary = self.new_uuid("boundary")
        rows = list(self.rows(spoken, boundary))
        told = Boundary(boundary, Trigger.MANUAL, sizes.before, sizes.after)
        kept = [row["uuid"] for row in rows[place + 1 :]]
        return [self.boundary(told, boundary, rows[place]["uuid"], kept), *rows]

    def boundary(self, told: Boundary, uuid: str, anchor: str, kept: Sequence[str]) -> Row:
        segment = PreservedSegment(kept[0], anchor, kept[-1]) if kept else None
        named = PreservedMessages(anchor, tuple(kept), tuple(kept)) if kept else None
        told = replace(told, uuid=uuid, preserved_segment=segment, preserved_messages=named)
        return {**self.with_envelope({}), **told.to_record(), "isMeta": False}

    def summary(self, made: Compaction, uuid: str, parent: str) -> Row:
        """With what was attached to it. In a row of its own behind the summary, the client would take that for the
        words of a person whose turn was cut off, and answer them itself before it goes on."""
        row: Row = {**self.with_envelope({}), **made.to_records()[1]}
        if len(made.inserted) > 1:
            blocks = [block for message in made.inserted for block in message.content]
            row["message"] = {"role": "user", "content": blocks}
        return {**row, "parentUuid": parent, "uuid": uuid, "isVisibleInTranscriptOnly": True}

    def origin(self, told: Origin, parent: str | None) -> Row:
        """An attachment of which the model is told nothing. Without it, a summary at the end would look to the client
        like a turn that was cut off."""
        known = {"type": "lucid_export", "session": told.session_id, "kind": told.kind, "run": told.run}
        row = {**self.with_envelope({}), "type": "attachment", "attachment": known, "rendered": []}
        return {**row, "parentUuid": parent, "uuid": self.new_uuid("origin")}

    def rows(
        self, messages: Sequence[Message], parent: str | None, *, notes: Collection[str] = frozenset()
    ) -> Iterator[Row]:
        """`notes` are ids of what was attached at the end, behind what was kept."""
        open_ = True
        for message in messages:
            uuid = self.new_uuid(message.uuid)
            if message.uuid not in notes:
                open_ = message.role == "user" and message.kind is not MessageKind.RESULT
            # Notes at the end: rows of the conversation would look like words that nobody answered. Behind words that
            # nobody did answer they are such rows, as the client would put notes in front of them.
            if message.uuid in notes and not open_:
                yield {**self.with_envelope({}), **_note(message, "user"), "parentUuid": parent, "uuid": uuid}
            else:
                yield self.row(message, uuid, parent)
            parent = uuid

    def row(self, message: Message, uuid: str, parent: str | None) -> Row:
        record = self.records(message)
        kind = record.get("type") if record is not None else None
        if record is not None and kind == "attachment":
            row = self.with_envelope(record)
        elif record is not None and kind == message.role and isinstance(record.get("message"), Mapping):
            row = self.conversation_row(message, record)
        else:
            row = self.with_envelope({}) | _row_without_record(message)
        for block in message.content:
            if block.get("type") == "tool_use":
                self.calls[str(block.get("id"))] = uuid
            elif block.get("type") == "tool_result" and str(block.get("tool_use_id")) in self.calls:
                row["sourceToolAssistantUUID"] = self.calls[str(block.get("tool_use_id"))]
        return {**row, "parentUuid": parent, "uuid": uuid}

    def conversation_row(self, message: Message, record: Mapping[str, Any]) -> Row:
        """A row of the conversation with what it says now."""
        row = self.with_envelope(record)
        raw = dict(record["message"])
        content = _content(message)
        if raw.get("content") != content and [text_block(str(raw.get("content")))] != content:
            raw["content"] = content
            row.pop("toolUseResult", None)  # it says again what the result has said
        if isinstance(raw.get("usage"), Mapping):
            # Counts of requests that were larger: the client would think that it has to compact at once.
            raw["usage"] = dict.fromkeys(_SPENT, 0)
        row["message"] = raw
        return row

    def with_envelope(self, record: Mapping[str, Any]) -> Row:
        """The envelope. What the record says about itself stays."""
        shared = self.envelope
        row = {key: value for key, value in record.items() if key not in _ELSEWHERE}
        row.setdefault("timestamp", _stamp(shared.made_at))
        row.setdefault("userType", "external")
        row.setdefault("version", shared.version)
        if shared.branch:
            row.setdefault("gitBranch", shared.branch)
        row |= {"isSidechain": False, "sessionId": shared.session_id}
        if "session_id" in row:
            row["session_id"] = shared.session_id
        if shared.cwd:
            row["cwd"] = shared.cwd
        return row

    def new_uuid(self, name: str) -> str:
        self.count += 1
        return str(uuid5(UUID(self.envelope.session_id), f"{self.count} {name}"))


def _content(message: Message) -> list[Block]:
    """Without the words that every reader adds to a result that brings tools."""
    content = list(message.content)
    return content[:-1] if content[-1] == _LOADED and any(map(_brings_tools, content)) else content


def _brings_tools(block: Block) -> bool:
    content = block.get("content")
    return isinstance(content, list) and any(
        isinstance(part, Mapping) and part.get("type") == "tool_reference" for part in content
    )


def _note(message: Message, role: Role) -> Row:
    """Versions that do not know `rendered` tell the content in a way of their own."""
    words = "\n".join(str(block.get("text")) for block in message.content)
    return {
        "type": "attachment",
        "attachment": {"type": "critical_system_reminder", "content": words},
        "rendered": [{"content": words if role == "user" else f"<system-reminder>\n{words}\n</system-reminder>"}],
        "renderedRole": role,
    }


def _row_without_record(message: Message) -> Row:
    """Of what no record holds: it is told to the model, and not shown as the words of a person."""
    if message.role == "system":
        return _note(message, "system")
    if message.role == "assistant":
        said = {"id": message.message_id, "type": "message", "model": message.model, "stop_reason": None}
        return {"type": "assistant", "message": {**said, "role": "assistant", "content": list(message.content)}}
    only = message.content[0] if len(message.content) == 1 else {}
    content = only["text"] if only.get("type") == "text" else list(message.content)
    return {"type": "user", "isMeta": True, "message": {"role": "user", "content": content}}


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
