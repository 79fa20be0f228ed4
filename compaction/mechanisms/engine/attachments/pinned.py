"""Quotes pinned messages word for word after the summary, if they were summarised."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

from compaction.mechanisms.engine.attachments.parts import AttachmentPart, as_reminder
from compaction.mechanisms.engine.conversation.calls import result_text
from sessions.context.engine.rendering.records import strip_reminder_tags
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message, MessageKind

_INTRODUCTION = "Messages that the user has pinned. They are quoted word for word and still hold."
_SPEAKERS = {MessageKind.PROMPT: "The user", MessageKind.ANSWER: "You", MessageKind.RESULT: "A tool"}


def quote_pinned(
    covered: Sequence[Message], pinned: Collection[str], elsewhere: Sequence[Message] = ()
) -> Iterator[AttachmentPart]:
    """`elsewhere`: pinned messages that had left the context before. What an earlier summary quoted is quoted again,
    because the messages themselves are gone."""
    quotes = [quote for message in (*elsewhere, *covered) for quote in _quotes(message, pinned)]
    if quotes:
        words = as_reminder("\n\n".join([_INTRODUCTION, *dict.fromkeys(quotes)]))
        yield AttachmentPart("pinned", (words,), "what is pinned, word for word")


def _quotes(message: Message, pinned: Collection[str]) -> Iterator[str]:
    if message.kind in (MessageKind.INJECTED, MessageKind.SUMMARY):
        for block in message.content:
            words = strip_reminder_tags(str(block.get("text", ""))).strip()
            if words.startswith(_INTRODUCTION):
                yield words.removeprefix(_INTRODUCTION).strip()
    if message.uuid in pinned and (words := "\n".join(filter(None, map(_words, message.content)))):
        yield f"{_SPEAKERS.get(message.kind, 'The client')}:\n{words}"


def _words(block: Block) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text"))
    if kind == "tool_result":
        return result_text(block)
    if kind == "tool_use":
        return f"{block.get('name')} {json.dumps(block.get('input'), ensure_ascii=False)}"
    return "" if kind in THINKING_TYPES else f"[{kind}]"
