"""What one record says to the model. Rules of the client, learned from recordings of what it wrote and what it sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sessions.engine.context.unrecorded import attachment_text
from sessions.engine.flags import Flag
from sessions.engine.linking.extras import mapping, text
from sessions.engine.messages import Block, Kind, Message, Role, text_block
from sessions.engine.scan.content import content_of
from sessions.engine.scan.times import milliseconds
from sessions.engine.usage import Usage

LOADED = "Tool loaded."
"""Follows a result that brings the schemas of deferred tools."""
_REMINDER = re.compile(r"\s*<system-reminder>\n?(.*?)\n?</system-reminder>\s*", re.DOTALL)
_BATCH = frozenset({"instructions", "session_context", "remote_session_change"})
_TYPED = int(Flag.TYPED)


class Place(Enum):
    """How a text is put beside the one before it in the same element of the array."""

    ROW = "row"
    """On a new line: a record of the conversation."""
    NOTE = "note"
    """On a new line, and before the person's words: an attachment."""
    BATCH = "batch"
    """As it is: the client puts all of these together before it joins them with anything."""


@dataclass(frozen=True, slots=True)
class Said:
    message: Message
    place: Place
    exact: bool = True
    """Whether these are the very words. Older versions wrote down what they attached, not how they told it."""


def said(record: Mapping[str, Any], position: int) -> Said | None:
    """What a record contributes to a request; None if it is never sent."""
    kind = record.get("type")
    if kind == "assistant":
        return _answer(record, position)
    if kind == "user":
        return _row(record, position)
    if kind == "attachment":
        return _attachment(record, position)
    if kind == "system" and record.get("subtype") == "local_command":
        content = text(record.get("content"))
        return Said(_message(record, position, "user", (text_block(content),), Kind.INJECTED), Place.ROW)
    return None


def _answer(record: Mapping[str, Any], position: int) -> Said | None:
    if record.get("isApiErrorMessage"):
        return None
    raw = mapping(record.get("message"))
    blocks = tuple(block for block in _blocks(raw) if not _blank(block))
    usage = Usage.of(raw.get("usage"))
    message_id, model = text(raw.get("id")), text(raw.get("model"))
    at = _at(record)
    uuid = text(record.get("uuid"))
    return Said(Message("assistant", blocks, Kind.ANSWER, uuid, message_id, at, usage, model, position), Place.ROW)


def _row(record: Mapping[str, Any], position: int) -> Said | None:
    summary = record.get("isCompactSummary") is True
    if record.get("isVisibleInTranscriptOnly") and not summary:
        return None
    blocks = tuple(_blocks(mapping(record.get("message"))))
    if any(block.get("type") == "tool_result" for block in blocks):
        kind = Kind.RESULT
        if any(_brings_tools(block) for block in blocks):
            blocks = (*blocks, text_block(LOADED))
    elif summary:
        kind = Kind.SUMMARY
    else:
        typed = content_of("user", dict(record))[0] & _TYPED
        kind = Kind.PROMPT if typed else Kind.INJECTED
    return Said(_message(record, position, "user", blocks, kind), Place.ROW)


def _attachment(record: Mapping[str, Any], position: int) -> Said | None:
    attachment = mapping(record.get("attachment"))
    rendered = record.get("rendered")
    if not isinstance(rendered, list):
        words = attachment_text(attachment)
        if not words:
            return None
        blocks: tuple[Block, ...] = (text_block(f"<system-reminder>\n{words}\n</system-reminder>"),)
        return Said(_message(record, position, "user", blocks, Kind.INJECTED), Place.NOTE, exact=False)
    role: Role = "system" if record.get("renderedRole") == "system" else "user"
    blocks = tuple(block for one in rendered for block in _content(mapping(one).get("content")))
    if not blocks:
        return None
    if role == "system":
        words = "\n".join(unwrapped(text(block.get("text"))) for block in blocks)
        blocks = (text_block(words),)
    place = Place.BATCH if attachment.get("type") in _BATCH else Place.NOTE
    return Said(_message(record, position, role, blocks, _attached(attachment)), place)


def _attached(attachment: Mapping[str, Any]) -> Kind:
    """Words that were typed while the model worked are a person's all the same."""
    queued = attachment.get("type") == "queued_command"
    human = mapping(attachment.get("origin")).get("kind") == "human" or attachment.get("commandMode") == "prompt"
    return Kind.PROMPT if queued and human else Kind.INJECTED


def unwrapped(words: str) -> str:
    """What stands in a reminder: messages of the role system carry no tags."""
    match = _REMINDER.fullmatch(words)
    return match[1] if match else words


def _message(record: Mapping[str, Any], position: int, role: Role, blocks: tuple[Block, ...], kind: Kind) -> Message:
    return Message(role, blocks, kind, text(record.get("uuid")), at=_at(record), position=position)


def _at(record: Mapping[str, Any]) -> float | None:
    stamp = milliseconds(record.get("timestamp"))
    return None if stamp is None else stamp / 1000


def _blocks(message: Mapping[str, Any]) -> Iterator[Block]:
    yield from _content(message.get("content"))


def _content(content: object) -> Iterator[Block]:
    if isinstance(content, str):
        yield text_block(content)
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, Mapping))


def _blank(block: Block) -> bool:
    return block.get("type") == "text" and not text(block.get("text")).strip()


def _brings_tools(block: Block) -> bool:
    content = block.get("content")
    return isinstance(content, list) and any(mapping(part).get("type") == "tool_reference" for part in content)
