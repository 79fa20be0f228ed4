"""Topics that contradict each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryFile, MemoryType
from memory.lint.engine.claims import Claim, contradict, find_claims
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS
from memory.lint.engine.stems import significant_words
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt

_MOST_OF_A_KEY = 50
"""Claims compared per key: what hundreds of topics claim is a form, not a fact."""
_IN_COMMON = 2
"""Words that two topics must share for a general key, such as `Owner`, to mean the same in both."""
_NEAR = 60
_CHANGED = re.compile(
    r"\b(?:was|were|formerly|previously|used to|no longer|instead of|replaced|until|moved|migrated|upgraded|changed"
    r"|from)\b"
)


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    claims: dict[str, list[tuple[MemoryFile, Claim]]] = defaultdict(list)
    for topic in directory.topics:
        for claim in find_claims(topic):
            claims[claim.key].append((topic, claim))
    reported: set[tuple[str, str]] = set()
    for same in claims.values():
        if not 1 < len(same) <= _MOST_OF_A_KEY:
            continue
        for index, (first, first_claim) in enumerate(same):
            for second, second_claim in same[index + 1 :]:
                names = (first.name, second.name)
                if names not in reported and _is_contradiction(first, first_claim, second, second_claim):
                    reported.add(names)
                    yield _finding(first, first_claim, second, second_claim)


def _is_contradiction(first: MemoryFile, first_claim: Claim, second: MemoryFile, second_claim: Claim) -> bool:
    if first is second or not contradict(first_claim, second_claim):
        return False
    if first_claim.is_general and len(_subject_words(first) & _subject_words(second)) < _IN_COMMON:
        return False
    return not _mentions_value(first, second_claim) and not _mentions_value(second, first_claim)


def _subject_words(topic: MemoryFile) -> set[str]:
    """The subject of a topic, according to its name and description."""
    return set(significant_words(f"{topic.stem.replace('_', ' ')} {topic.description}")) - set(MemoryType)


def _mentions_value(topic: MemoryFile, claim: Claim) -> bool:
    """Does the topic also mention this value? Then it describes a change, not a contradiction."""
    text, value = topic.text[:MOST_CHARACTERS].lower(), claim.value.lower()
    position = text.find(value)
    while position >= 0:
        if claim.exact_values or _CHANGED.search(text, max(position - _NEAR, 0), position):
            return True
        position = text.find(value, position + 1)
    return False


def _finding(older: MemoryFile, older_claim: Claim, newer: MemoryFile, newer_claim: Claim) -> Finding:
    if older.modified_at > newer.modified_at:
        older, older_claim, newer, newer_claim = newer, newer_claim, older, older_claim
    remark = ", which is newer," if newer.modified_at > older.modified_at else ""
    quotes = excerpt(older_claim.sentence, 80), excerpt(newer_claim.sentence, 80)
    words = f"Here: “{quotes[0]}”; {newer.name}{remark} says “{quotes[1]}”."
    return Finding("contradiction", older.name, Severity.WARNING, words, older_claim.line, others=(newer.name,))
