"""Tells whether a summary still contains a message of the user, word for word."""

from __future__ import annotations

import re

from compaction.mechanisms.engine.guards.quotes import find_quoted_messages
from compaction.trail.engine.attribution.words import words_of

LEAST_WORDS = 3
"""A message with fewer words is in any text by chance, so it must be an item of its own."""
LEAST_PART_WORDS = 5
"""This many words of a message are enough if the summary lists them as an item."""
ENOUGH_WORDS = 40
"""This many words of a longer message are enough, because summaries shorten long messages."""
MOST_WORDS = 400
_GAP = re.compile(r"\[\s?(?:\.\.\.|…)\s?\]|\.\.\.|…")


def searchable_words(message: str) -> str:
    """The words of a message, without what is between them."""
    return " ".join(words_of(message)[:MOST_WORDS])


class SummaryQuotes:
    """What a summary quotes, in whole or in part."""

    def __init__(self, summary: str) -> None:
        self._text = f" {' '.join(words_of(summary))} "
        self._items: set[str] = set()
        self._parts: list[str] = []
        self._beginnings: dict[int, set[str]] = {}
        for item in find_quoted_messages(summary):
            gap = _GAP.search(item)
            words = words_of(item if gap is None else item[: gap.start()])
            if gap is None:
                self._items.add(" ".join(words[:MOST_WORDS]))
                self._parts += [f" {' '.join(words)} "] if len(words) >= LEAST_PART_WORDS else []
            elif len(words := words[:-1][:ENOUGH_WORDS]) >= LEAST_WORDS:  # the last word may be cut
                self._beginnings.setdefault(len(words), set()).add(" ".join(words))

    def holds(self, text: str) -> bool:
        """`text`: from `searchable_words`."""
        if not text:
            return False
        words = text.split(" ")
        if text in self._items or (len(words) >= LEAST_WORDS and f" {' '.join(words[:ENOUGH_WORDS])} " in self._text):
            return True
        if any(" ".join(words[:count]) in beginnings for count, beginnings in self._beginnings.items()):
            return True
        return any(part in f" {text} " for part in self._parts)
