"""What became of each fact when memory was rewritten. A fact is a line of a topic; headings and pointers are none.

A fact whose line still stands is kept. One that stood twice, or that goes on in a line with another, is merged; a line
that was there before has to say all of it.
One that most of its words went into another line of is changed. All others are lost, and are named."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from memory.engine.lint.words import stem, telling_words, words_of
from memory.engine.reading.file import Kind, kind_of, parse_file

MOST_NAMED = 200
"""Lost facts that are told word for word."""
MOST_OF_A_WORD = 60
"""Lines that share a word, for it to help finding where a fact went."""
CARRIED = 0.6
"""Share of a fact's words that a new line has to have."""
CARRIED_HERE = 0.5
"""The same for a line of the same file."""
_DENYING = "no not never nor neither none nothing without cannot don't doesn't isn't won't can't"
_NEGATIONS = frozenset(_DENYING.split())
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)]|>)?\s*(?:\[[ xX]\]\s*)?")
_POINTER = re.compile(r"^[-*+]\s+\[[^\]]*\]\([^)\s]*\.md\)")
_BARE = re.compile(r"^[\W_]*$")
_PLAIN = re.compile(r"[\s*_`]+")


class Fact(NamedTuple):
    name: str
    """Of its file."""
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Facts:
    kept: int
    merged: int
    changed: int
    lost: tuple[Fact, ...]
    new: int

    def to_json(self) -> dict[str, Any]:
        return {
            "kept": self.kept,
            "merged": self.merged,
            "changed": self.changed,
            "lost": len(self.lost),
            "new": self.new,
            "lost_lines": [[fact.name, fact.text] for fact in self.lost[:MOST_NAMED]],
        }


def facts_of(contents: Mapping[str, bytes]) -> Iterator[Fact]:
    """Those of all topics, in the order of their names."""
    for name in sorted(contents):
        if kind_of(name) is not Kind.TOPIC:
            continue
        for line in parse_file(name, contents[name]).body_lines:
            text = line.text.strip()
            if not text.startswith("#") and not _BARE.match(text) and not _POINTER.match(text):
                yield Fact(name, text, _PLAIN.sub(" ", _MARK.sub("", text)).strip().lower())


def facts_compare(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Facts:
    """What became of the facts of `before` in `after`."""
    old, new = list(facts_of(before)), list(facts_of(after))
    had, has = Counter(fact.key for fact in old), Counter(fact.key for fact in new)
    kept = sum(min(count, has[key]) for key, count in had.items())
    merged = sum(max(count - has[key], 0) for key, count in had.items() if has[key])
    places = _Places(new)
    went: dict[str, list[Fact]] = defaultdict(list)
    lost: list[Fact] = []
    for fact in old:
        if has[fact.key]:
            continue
        target = places.carrying(fact, had)
        if target is None:
            lost.append(fact)
        else:
            went[target].append(fact)
    changed = sum(1 for target, facts in went.items() if target not in had and len(facts) == 1)
    merged += sum(len(facts) for facts in went.values()) - changed
    fresh = sum(count for key, count in has.items() if key not in had and key not in went)
    return Facts(kept, merged, changed, tuple(lost), fresh)


class _Places:
    """Lines by the words in them."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.files: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            self.files[fact.key].add(fact.name)
        self.words = {key: frozenset(telling_words(key)) for key in self.files}
        self.lines: dict[str, list[str]] = defaultdict(list)
        for key, words in self.words.items():
            for word in words:
                self.lines[word].append(key)

    def carrying(self, fact: Fact, had: Container[str]) -> str | None:
        """The line that says it now: one that has most of its words, rather a new one than one that was there."""
        words = frozenset(telling_words(fact.key))
        shared = Counter(
            key for word in words if len(self.lines.get(word, ())) <= MOST_OF_A_WORD for key in self.lines.get(word, ())
        )
        found = [
            (key not in had, share, key)
            for key, _ in shared.most_common(MOST_OF_A_WORD)
            if (share := len(words & self.words[key]) / len(words)) >= self._needed(fact, key)
            and (key not in had or _says(key, fact.key))
        ]
        return max(found)[2] if found else None

    def _needed(self, fact: Fact, key: str) -> float:
        return CARRIED_HERE if fact.name in self.files[key] else CARRIED


def _says(line: str, fact: str) -> bool:
    """Whether a line that was there before says the fact already: all its words, in their order, and denied as often.
    Two that contradict each other share most of their words."""
    there, wanted = words_of(line), words_of(fact)
    if sum(word in _NEGATIONS for word in there) != sum(word in _NEGATIONS for word in wanted):
        return False
    following = iter(stem(word) for word in there)
    return all(stem(word) in following for word in wanted)
