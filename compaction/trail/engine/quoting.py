"""Does a summary still hold what somebody has written, word for word?"""

from __future__ import annotations

import re

from compaction.mechanisms.engine.guards.quotes import find_quoted_messages
from compaction.trail.engine.attribution.words import words_of

SHORT = 3
"""A message of fewer words stands in any text by chance: it has to be an item of its own."""
PART = 5
"""Words of a message that are enough, where the summary lists them as an item."""
LONG = 40
"""Words of a longer message that are enough: summaries shorten what is long."""
MOST = 400
_GAP = re.compile(r"\[\s?(?:\.\.\.|…)\s?\]|\.\.\.|…")


def quotable(message: str) -> str:
    """What to look for of a message: its words, whatever stands between them."""
    return " ".join(words_of(message)[:MOST])


class Quoting:
    """A summary, to be asked what it quotes, wholly or in part."""

    def __init__(self, summary: str) -> None:
        self._text = f" {' '.join(words_of(summary))} "
        self._items: set[str] = set()
        self._parts: list[str] = []
        self._beginnings: dict[int, set[str]] = {}
        for item in find_quoted_messages(summary):
            gap = _GAP.search(item)
            words = words_of(item if gap is None else item[: gap.start()])
            if gap is None:
                self._items.add(" ".join(words[:MOST]))
                self._parts += [f" {' '.join(words)} "] if len(words) >= PART else []
            elif len(words := words[:-1][:LONG]) >= SHORT:  # the last may be cut in two
                self._beginnings.setdefault(len(words), set()).add(" ".join(words))

    def holds(self, said: str) -> bool:
        """`said`: as `quotable` gives it."""
        if not said:
            return False
        words = said.split(" ")
        if said in self._items or (len(words) >= SHORT and f" {' '.join(words[:LONG])} " in self._text):
            return True
        if any(" ".join(words[:count]) in begun for count, begun in self._beginnings.items()):
            return True
        return any(part in f" {said} " for part in self._parts)
