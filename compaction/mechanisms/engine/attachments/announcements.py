"""What the client tells the model again after a summary: how the conversation opened, and lists of what is available.

A list that has changed is given as it is now. The state of git is the last recorded one, because no record has the
current one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from compaction.mechanisms.engine.attachments.file_history import Records
from compaction.mechanisms.engine.conversation.standing import DATE_CHANGE, LISTS, OPENING, SETTING, STANDING
from compaction.mechanisms.engine.identity import derived_id
from sessions.context.engine.rendering.lists import list_strings
from sessions.context.engine.rendering.wording import attachment_texts
from sessions.transcripts.engine.messages import Message, replace_fields, text_block

Attachment = Mapping[str, Any]


class _Fields(NamedTuple):
    names: str
    lines: str
    removed: str


_FIELDS = {
    "deferred_tools_delta": _Fields("addedNames", "addedLines", "removedNames"),
    "agent_listing_delta": _Fields("addedTypes", "addedLines", "removedTypes"),
    "mcp_instructions_delta": _Fields("addedNames", "addedBlocks", "removedNames"),
    "skill_listing": _Fields("names", "content", ""),
}
ORDER = (*LISTS, *SETTING, *OPENING)


def announced_again(
    covered: Sequence[Message], kept_messages: Sequence[Message], records: Records, owner: str
) -> Iterator[Message]:
    """What only the covered messages contain, in the client's order. A message that is given unchanged stays the same
    object."""
    kept = {message.attachment: message.position or 0 for message in kept_messages}
    given: dict[str, list[Message]] = {}
    for message in covered:
        if message.attachment in STANDING and message.content:
            given.setdefault(message.attachment, []).append(message)
    for name in ORDER:
        messages = given.get(name, [])
        if not messages:
            continue
        if name in LISTS:
            yield from _join_lists(name, messages, records, owner) if len(messages) > 1 else messages
        elif kept.get(name, -1) > (messages[-1].position or 0):
            continue
        elif name == "date":
            yield _update_date(messages[-1], given.get(DATE_CHANGE, []), records, owner)
        else:
            yield messages[-1]


def _join_lists(name: str, messages: Sequence[Message], records: Records, owner: str) -> Iterator[Message]:
    """Joins several lists into one; without their records, all of them unchanged."""
    attachments = [_attachment(message, records) for message in messages]
    if not all(attachments):
        yield from messages
        return
    first, message = attachments[0], messages[0]
    lines = _lines_now(name, attachments)
    if not lines:
        return
    before = "\n".join(_lines_now(name, attachments[:1]).values())
    words = str(message.content[0].get("text", ""))
    now = "\n".join(lines.values())
    if before and before in words:
        text = words.replace(before, now)
    else:
        fields = _FIELDS[name]
        listed = now if name == "skill_listing" else list(lines.values())
        texts = attachment_texts({**first, fields.names: list(lines), fields.lines: listed, fields.removed: []})
        text = "\n".join(texts) or f"{words}\n{now}"
    uuid = derived_id("attachment", name, owner)
    yield replace_fields(message, content=(text_block(text),), uuid=uuid, position=None)


def _lines_now(name: str, attachments: Sequence[Attachment]) -> dict[str, str]:
    """Name -> line, after all changes."""
    fields = _FIELDS[name]
    known: dict[str, str] = {}
    there: dict[str, str] = {}
    for attachment in attachments:
        added = _read_lines(name, attachment)
        known |= added
        there |= added
        there |= {again: known[again] for again in list_strings(attachment.get("readdedNames")) if again in known}
        for removed in list_strings(attachment.get(fields.removed)):
            there.pop(removed, None)
    first = list(_read_lines(name, attachments[0]))
    return {key: there[key] for key in sorted(there)} if name != "skill_listing" and first == sorted(first) else there


def _read_lines(name: str, attachment: Attachment) -> dict[str, str]:
    if name == "skill_listing":
        entries = str(attachment.get("content", "")).removeprefix("- ").split("\n- ")
        return {entry.partition(":")[0]: f"- {entry}" for entry in entries if entry}
    names, lines = (list_strings(attachment.get(field)) for field in _FIELDS[name][:2])
    return dict(zip(names, lines, strict=False))


def _update_date(message: Message, changes: Sequence[Message], records: Records, owner: str) -> Message:
    """The message with the date of its latest change."""
    later = [change for change in changes if (change.position or 0) > (message.position or 0)]
    if not later:
        return message
    before, now = _attachment(message, records).get("date"), _attachment(later[-1], records).get("newDate")
    words = str(message.content[0].get("text", ""))
    if not isinstance(before, str) or not isinstance(now, str) or before not in words:
        return later[-1]
    uuid = derived_id("attachment", "date", owner)
    return replace_fields(message, content=(text_block(words.replace(before, now)),), uuid=uuid, position=None)


def _attachment(message: Message, records: Records) -> Attachment:
    record = records(message)
    attachment = record.get("attachment") if record is not None else None
    return attachment if isinstance(attachment, Mapping) else {}
