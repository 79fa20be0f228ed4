"""Does a summary still hold what somebody has written, word for word?"""

from __future__ import annotations

from compaction.engine.attribution.words import words_of
from compaction.engine.guards.quotes import quoted_messages

SHORT = 3
"""A message of fewer words stands in any text by chance: it has to be an item of its own."""
LONG = 40
"""Words of a longer message that are enough: summaries shorten what is long."""


def quotable(message: str) -> str:
    """What to look for of a message: its words, whatever stands between them; of a long one, its beginning."""
    return " ".join(words_of(message)[:LONG])


class Quoting:
    def __init__(self, summary: str) -> None:
        self._text = f" {' '.join(words_of(summary))} "
        self._items = {quotable(item) for item in quoted_messages(summary)}

    def holds(self, said: str) -> bool:
        """`said`: as `quotable` gives it."""
        if not said:
            return False
        return said in self._items or (said.count(" ") + 1 >= SHORT and f" {said} " in self._text)
