"""Topics that say different things of the same."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryFile, MemoryType
from memory.lint.engine.claims import Claim, claims_of, contradict
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.looking import MOST_CHARACTERS, excerpt
from memory.lint.engine.surroundings import Surroundings
from memory.lint.engine.words import telling_words

_MOST_OF_A_KEY = 50
"""Claims with one key that are compared: what hundreds of topics say of theirs is a form, not a fact."""
_IN_COMMON = 2
"""Words that two topics share, for a key such as `Owner` to mean the same in both."""
_NEAR = 60
_CHANGED = re.compile(
    r"\b(?:was|were|formerly|previously|used to|no longer|instead of|replaced|until|moved|migrated|upgraded|changed"
    r"|from)\b"
)


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    claims: dict[str, list[tuple[MemoryFile, Claim]]] = defaultdict(list)
    for topic in directory.topics:
        for claim in claims_of(topic):
            claims[claim.key].append((topic, claim))
    told: set[tuple[str, str]] = set()
    for same in claims.values():
        if not 1 < len(same) <= _MOST_OF_A_KEY:
            continue
        for at, (one, its) in enumerate(same):
            for other, theirs in same[at + 1 :]:
                if (one.name, other.name) not in told and _is_one(one, its, other, theirs):
                    told.add((one.name, other.name))
                    yield _finding(one, its, other, theirs)


def _is_one(one: MemoryFile, its: Claim, other: MemoryFile, theirs: Claim) -> bool:
    if one is other or not contradict(its, theirs):
        return False
    if its.general and len(_about(one) & _about(other)) < _IN_COMMON:
        return False
    return not _knows(one, theirs) and not _knows(other, its)


def _about(topic: MemoryFile) -> set[str]:
    """What a topic is about, as far as its name and description tell."""
    return set(telling_words(f"{topic.stem.replace('_', ' ')} {topic.description}")) - set(MemoryType)


def _knows(topic: MemoryFile, claim: Claim) -> bool:
    """Does the topic tell of the other value as well? Then it tells a change, not a contradiction."""
    text, value = topic.text[:MOST_CHARACTERS].lower(), claim.value.lower()
    at = text.find(value)
    while at >= 0:
        if claim.exact or _CHANGED.search(text, max(at - _NEAR, 0), at):
            return True
        at = text.find(value, at + 1)
    return False


def _finding(one: MemoryFile, its: Claim, other: MemoryFile, theirs: Claim) -> Finding:
    if one.modified_at > other.modified_at:
        one, its, other, theirs = other, theirs, one, its
    newer = ", which is newer," if other.modified_at > one.modified_at else ""
    words = f"Here: “{excerpt(its.said, 80)}”; {other.name}{newer} says “{excerpt(theirs.said, 80)}”."
    return Finding("contradiction", one.name, Severity.WARNING, words, its.line, others=(other.name,))
