"""What the scanner takes from a record, however it was decoded."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from sessions.imports.engine.scan.content import Content, content_of
from sessions.imports.engine.scan.times import milliseconds
from sessions.usage.engine.usage import Usage

TYPE_CHARS = 60


class Envelope(Struct, gc=False):
    """The fields that all records share. None where one is missing or has the wrong type."""

    uuid: str | None = None
    parent: str | None = field(default=None, name="parentUuid")
    stamp: Annotated[datetime, Meta(tz=True)] | None = field(default=None, name="timestamp")
    sidechain: bool | None = field(default=None, name="isSidechain")
    branch: str | None = field(default=None, name="gitBranch")
    version: str | None = None
    cwd: str | None = None
    session: str | None = field(default=None, name="sessionId")
    agent: str | None = field(default=None, name="agentId")


class Answer(Struct, gc=False):
    """What an assistant record says about its request."""

    message_id: str
    model: str | None
    usage: Usage | None
    request_id: str | None


class RecordSummary(Struct, gc=False):
    kind: str
    envelope: Envelope
    at: int | None
    content: Content
    answer: Answer | None = None


def summarise(record: dict[str, Any]) -> RecordSummary:
    """Takes a decoded record of any shape."""
    kind = _text(record.get("type")) or ""
    answer = None
    message = record.get("message")
    if kind == "assistant" and type(message) is dict:
        message_id = _text(message.get("id"))
        if message_id:
            usage = Usage.from_raw(message.get("usage"))
            answer = Answer(message_id, _text(message.get("model")), usage, _text(record.get("requestId")))
    timestamp = milliseconds(record.get("timestamp"))
    return RecordSummary(kind[:TYPE_CHARS], _envelope(record), timestamp, content_of(kind, record), answer)


def _envelope(record: dict[str, Any]) -> Envelope:
    return Envelope(
        uuid=_text(record.get("uuid")),
        parent=_text(record.get("parentUuid")),
        sidechain=record.get("isSidechain") is True,
        branch=_text(record.get("gitBranch")),
        version=_text(record.get("version")),
        cwd=_text(record.get("cwd")),
        session=_text(record.get("sessionId")),
        agent=_text(record.get("agentId")),
    )


def _text(value: object) -> str | None:
    return value if type(value) is str else None
