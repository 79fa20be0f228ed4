"""Whether a line says a fact, wholly or mostly, or contradicts it.

Lines that contradict each other share most of their words. So both must have the same number of negations, and a
number or a name with a digit must stand in both."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memory.lint.engine.rules.dates import RELATIVE
from memory.lint.engine.stems import STOPWORDS, stem, words_of

CARRIED = 0.6
"""The share of a fact's words that a line needs in order to be another wording of it."""
CARRIED_HERE = 0.5
"""The same for a line of the same file."""
FEWEST = 3
"""Words that a line needs in order to be contradicted."""
_DENYING = (
    "no not never nor neither none nothing without cannot don't doesn't isn't aren't wasn't won't can't mustn't "
    "shouldn't avoid stop forbidden"
)
_NEGATIONS = frozenset(_DENYING.split())
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=50_000)
def words(line: str) -> frozenset[str]:
    """The stems of all words."""
    return frozenset(stem(word) for word in words_of(line))


@lru_cache(maxsize=50_000)
def meaningful_words(line: str) -> frozenset[str]:
    """The words that carry meaning; all words if none does."""
    return frozenset(stem(word) for word in words_of(line) if word not in STOPWORDS) or words(line)


def count_denials(line: str) -> int:
    return sum(word.replace("’", "'") in _NEGATIONS for word in words_of(line))


def share(fact: str, line: str) -> float:
    """The share of the fact's words that stand in the line; 1.0 if only a day was replaced by its date."""
    needed = meaningful_words(fact)
    part = len(needed & words(line)) / len(needed) if needed else 0.0
    return 1.0 if part < 1.0 and _names_date_of(fact, line) else part


def _names_date_of(fact: str, line: str) -> bool:
    """Does the line give the date of a day that the fact calls “yesterday” or the like, and say the rest of it?"""
    if not _DATE.search(line) or _DATE.search(fact) or not RELATIVE.search(fact):
        return False
    rest = meaningful_words(RELATIVE.sub(" ", fact))
    return bool(rest) and rest <= words(line)


def says(line: str, fact: str) -> bool:
    """Does the line have all words of the fact in their order, and as many negations?"""
    line_words, fact_words = words_of(line), words_of(fact)
    if not fact_words or count_denials(line) != count_denials(fact):
        return False
    rest = iter(stem(word) for word in line_words)
    return all(stem(word) in rest for word in fact_words)


def rewords(line: str, fact: str) -> bool:
    """May the line be the fact in other words? Not if it denies it or has another number."""
    if count_denials(line) != count_denials(fact):
        return False
    exact = {word for word in words(fact) if _DIGIT.search(word)}
    return exact <= words(line) or _names_date_of(fact, line)


def carries(line: str, fact: str) -> bool:
    """Is the line another wording of the fact?"""
    return share(fact, line) >= CARRIED and rewords(line, fact)


def find_contradiction(ours: Iterable[str], theirs: Iterable[str]) -> tuple[str, str] | None:
    """The first two lines about the same thing that do not say the same. Only a person can tell which is right."""
    candidates = [line for line in dict.fromkeys(theirs) if len(meaningful_words(line)) >= FEWEST]
    for fact in dict.fromkeys(ours):
        if fact in candidates or len(meaningful_words(fact)) < FEWEST:
            continue
        near = [line for line in candidates if max(share(fact, line), share(line, fact)) >= CARRIED]
        if near and not any(says(line, fact) or says(fact, line) for line in near):
            return fact, near[0]
    return None
