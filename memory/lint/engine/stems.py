"""Words of a text in a common form, to tell whether two texts are about the same subject."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_COMMON = (
    "a an and are as at be been but by can do does for from had has have how i if in into is it its may more must no "
    "not of on only or our should so such than that the their them then there these they this to too up use used uses "
    "was we were what when where which who why will with you your user apply memory always never every all any"
)
STOPWORDS = frozenset(_COMMON.split())


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def significant_words(text: str) -> list[str]:
    """The stems of all words that are not stop words."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOPWORDS]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Deliberately crude: `heights` becomes `height`, `printed` becomes `print`."""
    if len(word) > 3 and word[-1] == "s" and word[-2] != "s":
        word = word[:-1]
    if len(word) > 5 and word.endswith("ing"):
        word = word[:-3]
    elif len(word) > 4 and word.endswith("ed"):
        word = word[:-2]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word
