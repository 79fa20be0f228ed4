"""What one record says to the model. Rules of the client, learned from recordings of what it wrote and what it sent."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sessions.context.engine.client_versions import Habits, habits_of
from sessions.context.engine.rendering.pictures import pictured
from sessions.context.engine.rendering.unrecorded import attachment_words
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    Role,
    replace_fields,
    text_block,
)
from sessions.usage.engine.usage import Usage

LOADED = "Tool loaded."
"""Follows a result that brings the schemas of deferred tools."""
_OPENED, _CLOSED = "<system-reminder>", "</system-reminder>"
_BATCH = frozenset({"instructions", "session_context", "remote_session_change"})
_BESIDE_RESULTS = frozenset({"hook_additional_context", "hook_blocking_error"})
"""Told with the result of the call that the hook watched, whatever role other attachments have."""
_WATCHED = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
"""Events of a call."""
_ENDING = frozenset({"Stop", "SubagentStop"})
"""Events of the end of a turn. What a hook objects to it is said in words of the user, and once more afterwards."""
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
_NOTIFICATION = "<task-notification>"
_TYPED, _RESULT, _SUMMARY = int(Flag.TYPED), int(Flag.RESULT), int(Flag.SUMMARY)
_OURS = int(Flag.META | Flag.COMMAND)


class Place(Enum):
    """How a text is put beside the one before it in the same element of the array."""

    ROW = "row"
    """On a new line: a record of the conversation."""
    NOTE = "note"
    """On a new line, and before the person's words: an attachment."""
    BATCH = "batch"
    """As it is: the client puts all of these together before it joins them with anything."""
    RESULT = "result"
    """At the end of the result that it follows; without one, as a note."""
    WORDS = "words"
    """The same, if the result is a text and not a list of parts."""


class Said(Struct, frozen=True, gc=False):
    message: Message
    place: Place
    exact: bool = True
    """Whether these are the very words. Older versions wrote down what they attached, not how they told it."""
    tagged: tuple[Block, ...] = ()
    """Of what goes with messages of the role `system`: how models are told it that do not take that role."""
    cut: bool = False
    """An answer that reached the limit of its length."""
    passing: bool = False
    """Told as to models that do not take the role `system`, until the turn is over."""
    afterwards: bool = False
    """Not told until the turn is over."""
    fresh: bool = False
    """A prompt to a client that had begun the session itself: one that has read it knows of no list of things to do."""
    streamed: bool = False
    """A prompt in blocks, as programs send it that keep the client running."""


def said(record: Mapping[str, Any], row: LinkRow) -> Said | None:
    """What a record contributes to a request; None if it is never sent."""
    if row.type == "assistant":
        return _answer(record, row)
    if row.type == "user":
        return _row(record, row)
    if row.type == "attachment":
        return _attachment(record, row)
    if row.type == "system" and row.detail == "local_command" and not record.get("isDisplayOnly"):
        return Said(
            _message(record, row, "user", (text_block(text(record.get("content"))),), MessageKind.INJECTED), Place.ROW
        )
    return None


def _answer(record: Mapping[str, Any], row: LinkRow) -> Said | None:
    if record.get("isApiErrorMessage"):
        told = Message(
            "assistant", (), MessageKind.ANSWER, text(record.get("uuid")), at=_at(row), position=row.position
        )
        return Said(told, Place.ROW, cut=True) if record.get("apiError") == "max_output_tokens" else None
    raw = mapping(record.get("message"))
    blocks = _content(raw.get("content"))
    for block in blocks:
        if block.get("type") == "text" and is_blank(block) and not (habits := _habits(record)).blanks:
            blocks = tuple(one for one in blocks if not is_blank(one) or (habits.empties and not one.get("text")))
            break
    message = Message(
        "assistant",
        blocks,
        MessageKind.ANSWER,
        text(record.get("uuid")),
        text(raw.get("id")),
        _at(row),
        Usage.from_raw(raw.get("usage")),
        text(raw.get("model")),
        row.position,
    )
    return Said(message, Place.ROW, cut=raw.get("stop_reason") in _CUT)


def _row(record: Mapping[str, Any], row: LinkRow) -> Said | None:
    if record.get("isVisibleInTranscriptOnly") and not row.flags & _SUMMARY:
        return None
    content = mapping(record.get("message")).get("content")
    blocks = _content(content)
    if row.flags & _RESULT:
        kind = MessageKind.RESULT
        for block in blocks:
            if type(block.get("content")) is list and _brings_tools(block) and _habits(record).tells_loaded:
                blocks = (*blocks, text_block(LOADED))
                break
    elif row.flags & _SUMMARY:
        kind = MessageKind.SUMMARY
    elif blocks and text(blocks[0].get("text")).startswith(_NOTIFICATION):
        blocks, kind = _introduced(blocks, _habits(record).notified), MessageKind.INJECTED
    else:
        kind = MessageKind.PROMPT if row.flags & _TYPED or _asked(row, blocks) else MessageKind.INJECTED
    streamed = kind is MessageKind.PROMPT and isinstance(content, list)
    return Said(_message(record, row, "user", blocks, kind), Place.ROW, fresh="todos" in record, streamed=streamed)


def _introduced(blocks: tuple[Block, ...], words: str) -> tuple[Block, ...]:
    if not words:
        return blocks
    return tuple(
        text_block(f"<system-reminder>\n{words}\n\n{text(block.get('text'))}\n</system-reminder>") for block in blocks
    )


def _asked(row: LinkRow, blocks: tuple[Block, ...]) -> bool:
    """What a sub-agent is asked was not typed, but it is what it was asked."""
    first = text(blocks[0].get("text")) if blocks else ""
    return not row.flags & _OURS and not first.startswith(("<", "[Request interrupted"))


def _attachment(record: Mapping[str, Any], row: LinkRow) -> Said | None:
    attachment = mapping(record.get("attachment"))
    rendered = record.get("rendered")
    if not isinstance(rendered, list):
        pictures = pictured(attachment, _habits(record).answer_it)
        if pictures:
            return Said(_message(record, row, "user", pictures, _attached(attachment)), Place.NOTE)
        return _reworded(record, row, attachment)
    blocks = tuple(block for one in rendered for block in _content(mapping(one).get("content")))
    if not blocks:
        return None
    if record.get("renderedRole") == "system":
        told = _system(record, row, attachment, blocks)
        # What a person typed meanwhile is the user's, in words that are not a reminder. What a program sent is not.
        return replace(told, message=replace_fields(told.message, role="user")) if _typed(attachment) else told
    place = Place.BATCH if row.detail in _BATCH else Place.NOTE
    return Said(_message(record, row, "user", blocks, _attached(attachment)), place)


def _reworded(record: Mapping[str, Any], row: LinkRow, attachment: Mapping[str, Any]) -> Said | None:
    """An attachment without its words, told as the version told it."""
    habits = _habits(record)
    words, seen = ((), False) if habits.writes_words else attachment_words(attachment)
    if not words:
        return None
    exact = seen and habits.words_known
    blocks = tuple(text_block(f"<system-reminder>\n{one}\n</system-reminder>") for one in words)
    if habits.system_role:
        told = _system(record, row, attachment, blocks, exact=exact)
        if row.detail not in _BESIDE_RESULTS:
            return told
        event = attachment.get("hookEvent")
        return replace(told, passing=event in _WATCHED, afterwards=event in _ENDING)
    return Said(_message(record, row, "user", blocks, _attached(attachment)), Place.NOTE, exact=exact)


def _system(
    record: Mapping[str, Any],
    row: LinkRow,
    attachment: Mapping[str, Any],
    blocks: tuple[Block, ...],
    *,
    exact: bool = True,
) -> Said:
    words = "\n".join(unwrapped(text(block.get("text"))) for block in blocks)
    message = _message(record, row, "system", (text_block(words),), _attached(attachment))
    return Said(message, Place.NOTE, exact, blocks)


def _attached(attachment: Mapping[str, Any]) -> MessageKind:
    """Words that were typed while the model worked are a person's all the same."""
    given = attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt"
    return MessageKind.PROMPT if given or _typed(attachment) else MessageKind.INJECTED


def _typed(attachment: Mapping[str, Any]) -> bool:
    queued = attachment.get("type") == "queued_command"
    return queued and mapping(attachment.get("origin")).get("kind") == "human"


def unwrapped(words: str) -> str:
    """What stands in a reminder: messages of the role system carry no tags."""
    inner = words.strip()
    if not inner.startswith(_OPENED) or not inner.endswith(_CLOSED):
        return words
    return inner[len(_OPENED) : -len(_CLOSED)].removeprefix("\n").removesuffix("\n")


def _message(
    record: Mapping[str, Any], row: LinkRow, role: Role, blocks: tuple[Block, ...], kind: MessageKind
) -> Message:
    return Message(role, blocks, kind, text(record.get("uuid")), at=_at(row), position=row.position)


def _at(row: LinkRow) -> float | None:
    return None if row.at is None else row.at / 1000


def _content(content: object) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (text_block(content),)
    return tuple([block for block in content if isinstance(block, dict)]) if isinstance(content, list) else ()


def _habits(record: Mapping[str, Any]) -> Habits:
    return habits_of(text(record.get("version")))


def is_blank(block: Block) -> bool:
    """Is it a text without a word?"""
    return block.get("type") == "text" and not text(block.get("text")).strip()


def _brings_tools(block: Block) -> bool:
    content = block.get("content")
    return isinstance(content, list) and any(mapping(part).get("type") == "tool_reference" for part in content)
