"""Finds the entry that a memory comes from: the one that shares most of its words. Those of the user count more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory.extraction.engine.conversation_text import message_text
from memory.lint.engine.stems import significant_words
from sessions.transcripts.engine.messages import Message, MessageKind

LEAST = 0.2
"""The share of the memory's words that an entry must have; less is chance."""
_LABEL = re.compile(r"(?:---|name:|type:|metadata:)")
"""Header lines that say nothing about the memory itself."""
_WEIGHT = {MessageKind.PROMPT: 1.5, MessageKind.ANSWER: 1.0}


def find_source(lines: Iterable[str], messages: Sequence[Message]) -> Message | None:
    """`lines`: the lines added to a file. None if no message has enough in common with them."""
    words = {word for line in lines if not _LABEL.match(line) for word in significant_words(line)}
    best: tuple[float, Message] | None = None
    for message in messages:
        weight = _WEIGHT.get(message.kind)
        if weight is None or not message.uuid or message.position is None:
            continue
        shared = len(words & set(significant_words(message_text(message)))) / len(words) if words else 0.0
        if shared >= LEAST and (best is None or weight * shared > best[0]):
            best = weight * shared, message
    return best[1] if best else None
