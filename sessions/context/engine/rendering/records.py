"""What one record contributes to a request. The rules were learned from what the client wrote and sent."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sessions.context.engine.client_versions import ClientBehaviour, behaviour_of
from sessions.context.engine.rendering.attachment_texts import texts_of_attachment
from sessions.context.engine.rendering.pictures import picture_blocks
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import Block, Message, MessageKind, Role, replace_fields, text_block
from sessions.usage.engine.usage import Usage

LOADED = "Tool loaded."
"""Follows a result that brings the schemas of deferred tools."""
_OPENED, _CLOSED = "<system-reminder>", "</system-reminder>"
_BATCH = frozenset({"instructions", "session_context", "remote_session_change"})
_BESIDE_RESULTS = frozenset({"hook_additional_context", "hook_blocking_error"})
"""These go to the result of the call that the hook watched, whatever the role of other attachments."""
_WATCHED = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
"""Hook events of a call."""
_ENDING = frozenset({"Stop", "SubagentStop"})
"""Hook events at the end of a turn. An objection is sent in words of the user, and once more when the turn is over."""
EXPORTED_NOTE = "critical_system_reminder"
"""What exports hold notes in: every version sends its text."""
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
_NOTIFICATION = "<task-notification>"
_TYPED, _RESULT, _SUMMARY = int(Flag.TYPED), int(Flag.RESULT), int(Flag.SUMMARY)
_CLIENT_WORDS = int(Flag.META | Flag.COMMAND)


class Placement(Enum):
    """How a text is joined to the one before it in the same element of the array."""

    ROW = "row"
    """On a new line: a record of the conversation."""
    NOTE = "note"
    """On a new line, before the person's words: an attachment."""
    BATCH = "batch"
    """Without a new line: the client joins instructions, session context and attribution first."""
    RESULT = "result"
    """At the end of the result before it; without one, as a note."""
    WORDS = "words"
    """The same, unless the result is a list of parts."""


class RenderedRecord(Struct, frozen=True, gc=False):
    message: Message
    placement: Placement
    exact: bool = True
    """Are these the exact words? Older versions recorded what they attached, not how they worded it."""
    user_blocks: tuple[Block, ...] = ()
    """The blocks for models that do not accept the role `system`."""
    is_cut_off: bool = False
    """The answer reached its limit of tokens."""
    is_user_role_during_turn: bool = False
    """Sent with the role `user` until the turn is over (hooks of calls, 2.1.197)."""
    is_sent_after_turn: bool = False
    """Not sent until the turn is over."""
    has_todos: bool = False
    """The prompt carries a to-do list, which only a client that began the session has (2.0.76 to 2.1.20)."""
    is_streamed: bool = False
    """A prompt in blocks, as sent by programs that keep the client running."""


def render_record(record: Mapping[str, Any], row: LinkRow) -> RenderedRecord | None:
    """What a record contributes to a request; None if it is never sent."""
    if row.type == "assistant":
        return _render_answer(record, row)
    if row.type == "user":
        return _render_user(record, row)
    if row.type == "attachment":
        return _render_attachment(record, row)
    if row.type == "system" and row.detail == "local_command" and not record.get("isDisplayOnly"):
        return RenderedRecord(
            _message(record, row, "user", (text_block(text(record.get("content"))),), MessageKind.INJECTED),
            Placement.ROW,
        )
    return None


def _render_answer(record: Mapping[str, Any], row: LinkRow) -> RenderedRecord | None:
    if record.get("isApiErrorMessage"):
        message = Message(
            "assistant", (), MessageKind.ANSWER, text(record.get("uuid")), at=_timestamp(row), position=row.position
        )
        return (
            RenderedRecord(message, Placement.ROW, is_cut_off=True)
            if record.get("apiError") == "max_output_tokens"
            else None
        )
    raw = mapping(record.get("message"))
    blocks = _content_blocks(raw.get("content"))
    for block in blocks:
        if block.get("type") == "text" and is_blank(block) and not (behaviour := _behaviour(record)).sends_blank_texts:
            blocks = tuple(
                block
                for block in blocks
                if not is_blank(block) or (behaviour.sends_empty_texts and not block.get("text"))
            )
            break
    message = Message(
        "assistant",
        blocks,
        MessageKind.ANSWER,
        text(record.get("uuid")),
        text(raw.get("id")),
        _timestamp(row),
        Usage.from_raw(raw.get("usage")),
        text(raw.get("model")),
        row.position,
    )
    return RenderedRecord(message, Placement.ROW, is_cut_off=raw.get("stop_reason") in _CUT)


def _render_user(record: Mapping[str, Any], row: LinkRow) -> RenderedRecord | None:
    if record.get("isVisibleInTranscriptOnly") and not row.flags & _SUMMARY:
        return None
    content = mapping(record.get("message")).get("content")
    blocks = _content_blocks(content)
    if row.flags & _RESULT:
        kind = MessageKind.RESULT
        for block in blocks:
            if (
                type(block.get("content")) is list
                and _brings_tools(block)
                and _behaviour(record).announces_loaded_tools
            ):
                blocks = (*blocks, text_block(LOADED))
                break
    elif row.flags & _SUMMARY:
        kind = MessageKind.SUMMARY
    elif blocks and text(blocks[0].get("text")).startswith(_NOTIFICATION):
        blocks, kind = _introduce_reports(blocks, _behaviour(record)), MessageKind.INJECTED
    else:
        kind = MessageKind.PROMPT if row.flags & _TYPED or _is_task_prompt(row, blocks) else MessageKind.INJECTED
    streamed = kind is MessageKind.PROMPT and isinstance(content, list)
    return RenderedRecord(
        _message(record, row, "user", blocks, kind), Placement.ROW, has_todos="todos" in record, is_streamed=streamed
    )


def _introduce_reports(blocks: tuple[Block, ...], behaviour: ClientBehaviour) -> tuple[Block, ...]:
    words = behaviour.task_report_intro
    if not words:
        return blocks
    introduced = [f"{words}\n\n{text(block.get('text'))}" for block in blocks]
    if behaviour.wraps_task_reports:
        introduced = [f"<system-reminder>\n{report}\n</system-reminder>" for report in introduced]
    return tuple(text_block(report) for report in introduced)


def _is_task_prompt(row: LinkRow, blocks: tuple[Block, ...]) -> bool:
    """Is it the prompt of a sub-agent? Nobody typed it, but it is no text of the client either."""
    first = text(blocks[0].get("text")) if blocks else ""
    return not row.flags & _CLIENT_WORDS and not first.startswith(("<", "[Request interrupted"))


def _render_attachment(record: Mapping[str, Any], row: LinkRow) -> RenderedRecord | None:
    attachment = mapping(record.get("attachment"))
    recorded = record.get("rendered")
    if attachment.get("type") == EXPORTED_NOTE and not _behaviour(record).records_wording:
        recorded = None  # of an export: this version has its own words and role for it
    if not isinstance(recorded, list):
        pictures = picture_blocks(attachment, _behaviour(record).queued_prompt_note)
        if pictures:
            return RenderedRecord(_message(record, row, "user", pictures, _attachment_kind(attachment)), Placement.NOTE)
        return _render_unworded_attachment(record, row, attachment)
    blocks = tuple(block for message in recorded for block in _content_blocks(mapping(message).get("content")))
    if not blocks:
        return None
    role = record.get("renderedRole") or ("" if _behaviour(record).records_role else _usual_role(row))
    if role == "system":
        rendered = _render_as_system(record, row, attachment, blocks)
        # In 2.1.325 what a person typed while the model worked has the role `user`; what a program sent has not.
        return (
            replace(rendered, message=replace_fields(rendered.message, role="user"))
            if _is_typed_by_person(attachment)
            else rendered
        )
    place = Placement.BATCH if row.detail in _BATCH else Placement.NOTE
    return RenderedRecord(_message(record, row, "user", blocks, _attachment_kind(attachment)), place)


def _usual_role(row: LinkRow) -> Role:
    """The role of an attachment whose record holds its words, but not its role."""
    return "user" if row.detail in _BATCH else "system"


def _render_unworded_attachment(
    record: Mapping[str, Any], row: LinkRow, attachment: Mapping[str, Any]
) -> RenderedRecord | None:
    """An attachment of a version that recorded its facts and not its words."""
    behaviour = _behaviour(record)
    if behaviour.records_wording:
        return None
    intro, note = behaviour.event_intro, behaviour.queued_prompt_note
    texts, is_recorded = texts_of_attachment(attachment, event_intro=intro, note=note)
    if not texts:
        return None
    exact = is_recorded and behaviour.wording_is_known
    blocks = tuple(text_block(f"<system-reminder>\n{words}\n</system-reminder>") for words in texts)
    if behaviour.has_system_role:
        rendered = _render_as_system(record, row, attachment, blocks, exact=exact)
        if row.detail not in _BESIDE_RESULTS:
            return rendered
        event = attachment.get("hookEvent")
        joins_results = behaviour.joins_hooks_to_results and event in _WATCHED
        return replace(rendered, is_user_role_during_turn=joins_results, is_sent_after_turn=event in _ENDING)
    return RenderedRecord(
        _message(record, row, "user", blocks, _attachment_kind(attachment)), Placement.NOTE, exact=exact
    )


def _render_as_system(
    record: Mapping[str, Any],
    row: LinkRow,
    attachment: Mapping[str, Any],
    blocks: tuple[Block, ...],
    *,
    exact: bool = True,
) -> RenderedRecord:
    words = "\n".join(strip_reminder_tags(text(block.get("text"))) for block in blocks)
    message = _message(record, row, "system", (text_block(words),), _attachment_kind(attachment))
    return RenderedRecord(message, Placement.NOTE, exact, blocks)


def _attachment_kind(attachment: Mapping[str, Any]) -> MessageKind:
    """What was typed while the model worked is a prompt."""
    is_prompt = attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt"
    return MessageKind.PROMPT if is_prompt or _is_typed_by_person(attachment) else MessageKind.INJECTED


def _is_typed_by_person(attachment: Mapping[str, Any]) -> bool:
    queued = attachment.get("type") == "queued_command"
    return queued and mapping(attachment.get("origin")).get("kind") == "human"


def strip_reminder_tags(words: str) -> str:
    """The text in a reminder. Messages of the role `system` carry no tags."""
    inner = words.strip()
    if not inner.startswith(_OPENED) or not inner.endswith(_CLOSED):
        return words
    return inner[len(_OPENED) : -len(_CLOSED)].removeprefix("\n").removesuffix("\n")


def _message(
    record: Mapping[str, Any], row: LinkRow, role: Role, blocks: tuple[Block, ...], kind: MessageKind
) -> Message:
    return Message(
        role,
        blocks,
        kind,
        text(record.get("uuid")),
        at=_timestamp(row),
        position=row.position,
        attachment=row.detail if row.type == "attachment" else "",
    )


def _timestamp(row: LinkRow) -> float | None:
    return None if row.at is None else row.at / 1000


def _content_blocks(content: object) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (text_block(content),)
    return tuple([block for block in content if isinstance(block, dict)]) if isinstance(content, list) else ()


def _behaviour(record: Mapping[str, Any]) -> ClientBehaviour:
    return behaviour_of(text(record.get("version")))


def is_blank(block: Block) -> bool:
    """Is it a text of white space, or empty?"""
    return block.get("type") == "text" and not text(block.get("text")).strip()


def _brings_tools(block: Block) -> bool:
    content = block.get("content")
    return isinstance(content, list) and any(mapping(part).get("type") == "tool_reference" for part in content)
