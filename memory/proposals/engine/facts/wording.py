"""Whether a line says a fact, all of it or most, or stands against it.

Two that contradict each other share most of their words. So what is denied in one has to be denied as often in the
other, and a number or a name with a digit in it has to stand there too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memory.lint.engine.rules.dates import RELATIVE
from memory.lint.engine.words import STOPWORDS, stem, words_of

CARRIED = 0.6
"""Share of a fact's words that a line has to have, to be another wording of it."""
CARRIED_HERE = 0.5
"""The same for a line of the same file."""
FEWEST = 3
"""Words of a line, to say something that another can stand against."""
_DENYING = (
    "no not never nor neither none nothing without cannot don't doesn't isn't aren't wasn't won't can't mustn't "
    "shouldn't avoid stop forbidden"
)
_NEGATIONS = frozenset(_DENYING.split())
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=50_000)
def words(line: str) -> frozenset[str]:
    """All of them, in a common form."""
    return frozenset(stem(word) for word in words_of(line))


@lru_cache(maxsize=50_000)
def meaningful_words(line: str) -> frozenset[str]:
    """Those that carry meaning; all of them where none does."""
    return frozenset(stem(word) for word in words_of(line) if word not in STOPWORDS) or words(line)


def count_denials(line: str) -> int:
    return sum(word.replace("’", "'") in _NEGATIONS for word in words_of(line))


def share(fact: str, line: str) -> float:
    """Of the fact's words, those that stand in the line; all of them if only a day got its date."""
    wanted = meaningful_words(fact)
    part = len(wanted & words(line)) / len(wanted) if wanted else 0.0
    return 1.0 if part < 1.0 and _names_date_of(fact, line) else part


def _names_date_of(fact: str, line: str) -> bool:
    """Does the line name the date of a day that the fact told from its own, and the rest of it?"""
    if not _DATE.search(line) or _DATE.search(fact) or not RELATIVE.search(fact):
        return False
    rest = meaningful_words(RELATIVE.sub(" ", fact))
    return bool(rest) and rest <= words(line)


def says(line: str, fact: str) -> bool:
    """All of the fact: its words, in their order, and denied as often."""
    there, wanted = words_of(line), words_of(fact)
    if not wanted or count_denials(line) != count_denials(fact):
        return False
    following = iter(stem(word) for word in there)
    return all(stem(word) in following for word in wanted)


def rewords(line: str, fact: str) -> bool:
    """May the line be the fact in other words? Not if it denies it, or holds another number."""
    if count_denials(line) != count_denials(fact):
        return False
    exact = {word for word in words(fact) if _DIGIT.search(word)}
    return exact <= words(line) or _names_date_of(fact, line)


def carries(line: str, fact: str) -> bool:
    """Is the line, newly written, a wording of the fact?"""
    return share(fact, line) >= CARRIED and rewords(line, fact)


def find_contradiction(ours: Iterable[str], theirs: Iterable[str]) -> tuple[str, str] | None:
    """The first two lines that speak of the same and do not say the same: either may be wrong, and nobody can tell
    which without asking."""
    known = [line for line in dict.fromkeys(theirs) if len(meaningful_words(line)) >= FEWEST]
    for fact in dict.fromkeys(ours):
        if fact in known or len(meaningful_words(fact)) < FEWEST:
            continue
        near = [line for line in known if max(share(fact, line), share(line, fact)) >= CARRIED]
        if near and not any(says(line, fact) or says(fact, line) for line in near):
            return fact, near[0]
    return None
