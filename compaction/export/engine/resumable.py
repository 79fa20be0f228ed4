"""Writes a compacted context as a new transcript in the client's format, so that the agent can resume it.

Every row is new: it has its own uuid, the row before as its parent, and belongs to a new session. Its content is that
of the context; its metadata (times, models, versions) is that of the record that it comes from.
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
from compaction.mechanisms.engine.conversation.standing import is_standing
from sessions.context.engine.client_versions import behaviour_of
from sessions.context.engine.rendering.records import EXPORTED_NOTE, LOADED
from sessions.transcripts.engine.messages import Block, Message, MessageKind, Role, text_block
from sessions.usage.engine.prices import SYNTHETIC

Row = dict[str, Any]
Records = Callable[[Message], Mapping[str, Any] | None]
"""The record that a message comes from; None if there is none."""

_SPENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_ELSEWHERE = ("agentId", "forkedFrom", "logicalParentUuid", "sourceToolAssistantUUID", "attributionAgent")
"""Keys that refer to the session that a row comes from."""
_LOADED = text_block(LOADED)


@dataclass(frozen=True, slots=True)
class Envelope:
    """What all rows of the new transcript share."""

    session_id: str
    cwd: str = ""
    version: str = ""
    branch: str = ""
    made_at: float = 0.0
    """When it is made: the time of rows that come from no record."""
    title: str = ""
    """What people find it by: it may hold no words of a person any more."""


@dataclass(frozen=True, slots=True)
class Sizes:
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Origin:
    """What the transcript was made from. Its last row tells readers of the file."""

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
        last = rows[-1]["uuid"] if rows else None
        ends_with_answer = behaviour_of(envelope.version).answers_last_note
        rows.append(writer.closing_row(origin, last) if ends_with_answer else writer.origin_row(origin, last))
    if envelope.title:
        rows.append({"type": "custom-title", "customTitle": envelope.title, "sessionId": envelope.session_id})
    return rows


def _write_rows(writer: _Writer, after: Sequence[Message], compaction: Compaction | None, sizes: Sizes) -> list[Row]:
    messages = [message for message in after if message.content and not is_boundary(message)]
    if compaction is not None:
        index = next(at for at, message in enumerate(messages) if message.uuid == compaction.summary.uuid)
        if compaction.direction is Direction.FROM:
            return writer.rows_before_boundary(messages, index, compaction)
        return writer.rows_after_boundary(messages[index:], compaction)
    for index, message in enumerate(messages):
        if message.kind is MessageKind.SUMMARY and (writer.records(message) or {}).get("isCompactSummary"):
            # It was compacted before, and begins at that boundary.
            return writer.rows_of_earlier_summary(messages, index, sizes)
    return list(writer.rows(messages, None))


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

    def rows_after_boundary(self, messages: Sequence[Message], compaction: Compaction) -> list[Row]:
        """Boundary, summary, then kept messages and attachments."""
        boundary, anchor = self.new_uuid("boundary"), self.new_uuid("summary")
        standing = list(filter(is_standing, compaction.inserted))
        rest = [*standing, *messages[len(compaction.inserted) :]]
        added = {message.uuid for message in (*standing, *compaction.appended)}
        rows = [*self.rows(rest, anchor, notes=added)]
        kept_uuids = [row["uuid"] for row, message in zip(rows, rest, strict=True) if message.uuid not in added]
        notes: list[Row] = []
        if behaviour_of(self.envelope.version).answers_last_note:
            # Before the summary they are sent all the same, and nothing at the end looks like the middle of a turn.
            while rows and rows[-1]["type"] == "attachment" and rows[-1]["uuid"] not in kept_uuids:
                notes.insert(0, rows.pop())
        parents = [boundary, *(note["uuid"] for note in notes)]
        return [
            self.boundary_row(compaction.boundary, boundary, anchor, kept_uuids),
            *({**note, "parentUuid": parent} for note, parent in zip(notes, parents, strict=False)),
            self.summary_row(compaction, anchor, parents[-1]),
            *rows,
        ]

    def rows_before_boundary(self, messages: Sequence[Message], index: int, compaction: Compaction) -> list[Row]:
        """Kept messages come first. Their parent is the boundary, which comes after them in the file. The client does
        the same: readers would take a summary that follows other messages for the start of the session."""
        kept_rows = list(self.rows(messages[:index], None))
        boundary, anchor = self.new_uuid("boundary"), self.new_uuid("summary")
        return [
            *kept_rows,
            self.boundary_row(compaction.boundary, boundary, boundary, [row["uuid"] for row in kept_rows]),
            self.summary_row(compaction, anchor, boundary),
            *self.rows(
                [*filter(is_standing, compaction.inserted), *messages[index + len(compaction.inserted) :]], anchor
            ),
        ]

    def rows_of_earlier_summary(self, messages: Sequence[Message], index: int, sizes: Sizes) -> list[Row]:
        """An earlier summary stays in use; notes may come between it and the boundary."""
        boundary = self.new_uuid("boundary")
        rows = list(self.rows(messages, boundary))
        earlier = Boundary(boundary, Trigger.MANUAL, sizes.before, sizes.after)
        kept_uuids = [row["uuid"] for row in rows[index + 1 :]]
        return [self.boundary_row(earlier, boundary, rows[index]["uuid"], kept_uuids), *rows]

    def boundary_row(self, boundary: Boundary, uuid: str, anchor: str, kept_uuids: Sequence[str]) -> Row:
        segment = PreservedSegment(kept_uuids[0], anchor, kept_uuids[-1]) if kept_uuids else None
        preserved = PreservedMessages(anchor, tuple(kept_uuids), tuple(kept_uuids)) if kept_uuids else None
        boundary = replace(boundary, uuid=uuid, preserved_segment=segment, preserved_messages=preserved)
        return {**self.with_envelope({}), **boundary.to_record(), "isMeta": False}

    def summary_row(self, compaction: Compaction, uuid: str, parent: str) -> Row:
        """The summary with its attachments. In a separate row, the client would take those for the words of a person
        whose turn was interrupted, and answer them itself before it continues. Attachments that the client adds again
        by itself are left out."""
        row: Row = {**self.with_envelope({}), **compaction.to_records()[1]}
        inserted = [message for message in compaction.inserted if not is_standing(message)]
        if len(inserted) > 1:
            blocks = [block for message in inserted for block in message.content]
            row["message"] = {"role": "user", "content": blocks}
        return {**row, "parentUuid": parent, "uuid": uuid, "isVisibleInTranscriptOnly": True}

    def origin_row(self, origin: Origin, parent: str | None) -> Row:
        """An attachment that the model never sees. Without it, a summary at the end would look to the client like a
        turn that was cut off."""
        attachment = {"type": "lucid_export", "session": origin.session_id, "kind": origin.kind, "run": origin.run}
        row = {**self.with_envelope({}), "type": "attachment", "attachment": attachment, "rendered": []}
        # Up to 2.1.90 the client continues from the row with the latest time, the first of several.
        row["timestamp"] = _stamp(self.envelope.made_at + 0.001)
        return {**row, "parentUuid": parent, "uuid": self.new_uuid("origin")}

    def closing_row(self, origin: Origin, parent: str | None) -> Row:
        """The same for versions that take an attachment at the end for the middle of a turn: as a report of an error,
        which is never sent and ends the turn."""
        words = f"This session was made from {origin.session_id}: {origin.kind}, run {origin.run}."
        message = {
            "id": f"msg_{self.new_uuid('closing').replace('-', '')}",
            "type": "message",
            "role": "assistant",
            "model": SYNTHETIC,
            "content": [text_block(words)],
            "stop_reason": "stop_sequence",
            "stop_sequence": "",
            "usage": dict.fromkeys(_SPENT, 0),
        }
        row = {**self.with_envelope({}), "type": "assistant", "isApiErrorMessage": True, "message": message}
        row["timestamp"] = _stamp(self.envelope.made_at + 0.001)
        return {**row, "parentUuid": parent, "uuid": self.new_uuid("closed")}

    def rows(
        self, messages: Sequence[Message], parent: str | None, *, notes: Collection[str] = frozenset()
    ) -> Iterator[Row]:
        """`notes`: ids of the attachments at the end, after the kept messages."""
        awaits_answer = True
        for message in messages:
            uuid = self.new_uuid(message.uuid)
            if message.uuid not in notes:
                awaits_answer = message.role == "user" and message.kind is not MessageKind.RESULT
            # Notes at the end: as rows of the conversation they would look like words that nobody answered. If the last
            # words were not answered they are such rows, because the client would move attachments before those.
            if message.uuid in notes and not awaits_answer and not is_standing(message):
                yield {**self.with_envelope({}), **_note(message, "user"), "parentUuid": parent, "uuid": uuid}
            else:
                yield self.row(message, uuid, parent)
            parent = uuid

    def row(self, message: Message, uuid: str, parent: str | None) -> Row:
        record = self.records(message)
        kind = record.get("type") if record is not None else None
        if record is not None and kind == "attachment":
            row = self.with_envelope(record)
            if is_standing(message):
                # It is given anew, after the files: 2.1.197 reads attachments in the order of their times.
                row["timestamp"] = _stamp(self.envelope.made_at)
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
        """A row of the conversation with its current content."""
        row = self.with_envelope(record)
        raw = dict(record["message"])
        content = _content(message)
        if raw.get("content") != content and [text_block(str(raw.get("content")))] != content:
            raw["content"] = content
            row.pop("toolUseResult", None)  # it repeats the result
        if isinstance(raw.get("usage"), Mapping):
            # These are counts of larger requests, from which the client would conclude that it must compact at once.
            raw["usage"] = dict.fromkeys(_SPENT, 0)
        row["message"] = raw
        return row

    def with_envelope(self, record: Mapping[str, Any]) -> Row:
        """Adds the envelope. The record's own fields stay."""
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
    """The content without the text that every reader adds to a result that loads tools."""
    content = list(message.content)
    return content[:-1] if content[-1] == _LOADED and any(map(_brings_tools, content)) else content


def _brings_tools(block: Block) -> bool:
    content = block.get("content")
    return isinstance(content, list) and any(
        isinstance(part, Mapping) and part.get("type") == "tool_reference" for part in content
    )


def _note(message: Message, role: Role) -> Row:
    """Versions that do not know the key `rendered` show the content in their own way."""
    texts = [str(block.get("text")) for block in message.content]
    shown = texts if role == "user" else [f"<system-reminder>\n{text}\n</system-reminder>" for text in texts]
    return {
        "type": "attachment",
        "attachment": {"type": EXPORTED_NOTE, "content": "\n".join(texts)},
        "rendered": [{"content": text} for text in shown],
        "renderedRole": role,
    }


def _row_without_record(message: Message) -> Row:
    """A message without a record. The model sees it, but it is not shown as the words of a person."""
    if message.role == "system" or is_standing(message):
        return _note(message, message.role)
    if message.role == "assistant":
        envelope = {"id": message.message_id, "type": "message", "model": message.model, "stop_reason": None}
        return {"type": "assistant", "message": {**envelope, "role": "assistant", "content": list(message.content)}}
    only = message.content[0] if len(message.content) == 1 else {}
    content = only["text"] if only.get("type") == "text" else list(message.content)
    return {"type": "user", "isMeta": True, "message": {"role": "user", "content": content}}


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
