"""Conversations written as the lines of a transcript, to be read back by the engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sessions.context.engine import Context, Log, context_at
from sessions.text.engine.timestamps import iso
from sessions.transcripts.engine.messages import Message, MessageKind

SESSION = "0b8f3f6e-8f3c-4a7e-9d55-1f0f3f3a2b11"


def written(messages: Sequence[Message], session: str = SESSION) -> bytes:
    rows: list[dict[str, Any]] = []
    parent: str | None = None
    for message in messages:
        if message.kind is MessageKind.SUMMARY:
            boundary = f"boundary-{message.uuid}"
            rows.append(_row(boundary, None, message, session) | {"type": "system", "subtype": "compact_boundary"})
            parent = boundary
        rows.append(_row(message.uuid, parent, message, session) | _content(message))
        parent = message.uuid
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def context_of(data: bytes) -> Context:
    return context_at(Log(data))


def _row(uuid: str, parent: str | None, message: Message, session: str) -> dict[str, Any]:
    timestamp = iso(int((message.at or 0) * 1000))
    shared = {"isSidechain": False, "sessionId": session, "cwd": "/home/dev/tidewatch", "version": "2.1.325"}
    return {"parentUuid": parent, "uuid": uuid, "timestamp": timestamp, **shared}


def _content(message: Message) -> dict[str, Any]:
    content = [dict(block) for block in message.content]
    if message.role == "system":
        words = f"<system-reminder>\n{content[0]['text']}\n</system-reminder>"
        rendered = {"rendered": [{"content": words}], "renderedRole": "system"}
        return {"type": "attachment", "attachment": {"type": "date"}, **rendered}
    if message.role == "assistant":
        known = {"id": message.message_id, "type": "message", "model": message.model, "stop_reason": "end_turn"}
        usage = {"input_tokens": 3, "cache_read_input_tokens": 20_000, "output_tokens": 40}
        return {
            "type": "assistant",
            "requestId": f"req_{message.message_id}",
            "message": {**known, "role": "assistant", "content": content, "usage": usage},
        }
    row: dict[str, Any] = {"type": "user", "message": {"role": "user", "content": content}}
    if message.kind is MessageKind.INJECTED:
        row["isMeta"] = True
    elif message.kind is MessageKind.SUMMARY:
        row |= {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    elif message.kind is MessageKind.RESULT:
        row["toolUseResult"] = "the same again"
    else:
        row |= {"origin": {"kind": "human"}, "promptSource": "typed"}
    return row
