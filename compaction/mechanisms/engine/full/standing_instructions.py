"""Instructions for summaries in CLAUDE.md: the sections of instruction files with such a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sessions.transcripts.engine.messages import Message, MessageKind

_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
_ABOUT_SUMMARIES = re.compile(
    r"\b(?:auto-?)?(?:compact|compaction|compacting|summary|summaries|summari[sz]ing)\b", re.IGNORECASE
)
_FILE = "CLAUDE.md"
_LONGEST = 100


def compact_headings(messages: Sequence[Message]) -> tuple[str, ...]:
    """Headings of instruction files in the conversation, each once. What a person or a model wrote never counts."""
    headings = (heading for message in messages for heading in _headings_of(message))
    return tuple(dict.fromkeys(headings))


def _headings_of(message: Message) -> Iterator[str]:
    if message.kind is not MessageKind.INJECTED:
        return
    for block in message.content:
        text = block.get("text")
        if isinstance(text, str) and _FILE in text:
            headings = (match[1] for match in _HEADING.finditer(text))
            yield from (heading[:_LONGEST] for heading in headings if _ABOUT_SUMMARIES.search(heading))


def standing_remark(headings: Sequence[str]) -> tuple[str, ...]:
    if not headings:
        return ()
    quoted = ", ".join(f"“{heading}”" for heading in headings)
    return (f"CLAUDE.md says how to summarise ({quoted}), and whoever writes the summary was told",)
