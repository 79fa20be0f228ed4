"""Goes through the messages once and notes which clues of which sentence each of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from compaction.trail.engine.attribution.clues import RUN, Clues, Phrase
from compaction.trail.engine.attribution.words import paths_of, text_of, words_of
from sessions.transcripts.engine.messages import Message

MOST = 60
"""What stands in more messages than this singles out none of them."""

COMMON = 8
"""Sentences that share a run of words."""


@dataclass(slots=True)
class Seen:
    """A clue: how many messages hold it, and the first of them."""

    count: int = 0
    places: list[int] = field(default_factory=list)

    def add(self, at: int) -> None:
        self.count += 1
        if len(self.places) <= MOST:
            self.places.append(at)


@dataclass(slots=True)
class Findings:
    words: dict[str, Seen] = field(default_factory=dict)
    phrases: dict[Phrase, Seen] = field(default_factory=dict)
    runs: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """By sentence and message: where the longest run of common words begins in the sentence, and its length."""
    wholes: dict[Phrase, Seen] = field(default_factory=dict)
    """Quotes that are all that a message says."""
    acts: dict[Phrase, set[int]] = field(default_factory=dict)
    """Names of files, with the messages that have a tool read or change them."""
    sizes: list[int] = field(default_factory=list)
    """Of the messages, in words."""


@dataclass(slots=True)
class _Wanted:
    words: frozenset[str]
    phrases: dict[int, frozenset[Phrase]]
    """By their length."""
    beginnings: frozenset[str]
    """First words of phrases and runs: anything else need not be looked at."""
    runs: dict[Phrase, list[tuple[int, int]]]
    """Each with the sentences that it stands in, and where."""
    wholes: frozenset[Phrase]


def findings(clues: Sequence[Clues], messages: Sequence[Message]) -> Findings:
    wanted = _wanted(clues)
    found = Findings()
    longest = max(map(len, wanted.wholes), default=0)
    for at, message in enumerate(messages):
        words = words_of(text_of(message))
        found.sizes.append(len(words))
        for word in wanted.words.intersection(words):
            found.words.setdefault(word, Seen()).add(at)
        if len(words) <= longest and (whole := tuple(words)) in wanted.wholes:
            found.wholes.setdefault(whole, Seen()).add(at)
        _in_rows(words, wanted, found, at)
        for path in paths_of(message):
            named = words_of(path)
            for length, known in wanted.phrases.items():
                if (name := tuple(named[-length:])) in known:
                    found.acts.setdefault(name, set()).add(at)
    return found


def _wanted(clues: Iterable[Clues]) -> _Wanted:
    words: set[str] = set()
    phrases: set[Phrase] = set()
    runs: dict[Phrase, list[tuple[int, int]]] = {}
    wholes: set[Phrase] = set()
    for one in clues:
        words.update(one.telling)
        phrases.update(one.phrases)
        wholes.update(one.quotes)
        phrases.update(quote for quote in one.quotes if 1 < len(quote) < RUN)
        for start in range(len(one.words) - RUN + 1):
            runs.setdefault(one.words[start : start + RUN], []).append((one.number, start))
    # What many sentences hold says nothing about where one of them comes from.
    runs = {run: places for run, places in runs.items() if len(places) <= COMMON}
    lengths = {len(phrase) for phrase in phrases}
    by_length = {length: frozenset(phrase for phrase in phrases if len(phrase) == length) for length in lengths}
    beginnings = frozenset(phrase[0] for phrase in (*phrases, *runs))
    return _Wanted(frozenset(words), by_length, beginnings, runs, frozenset(wholes))


def _in_rows(words: list[str], wanted: _Wanted, found: Findings, at: int) -> None:
    """Phrases and runs, each once per message."""
    phrases: set[Phrase] = set()
    runs: set[Phrase] = set()
    beginnings = wanted.beginnings
    for start in [place for place, word in enumerate(words) if word in beginnings]:
        row = tuple(words[start : start + RUN])
        if row in wanted.runs:
            runs.add(row)
        for length, known in wanted.phrases.items():
            phrase = row[:length] if length <= RUN else tuple(words[start : start + length])
            if phrase in known:
                phrases.add(phrase)
    for phrase in phrases:
        found.phrases.setdefault(phrase, Seen()).add(at)
    starts: dict[int, list[int]] = {}
    for run in runs:
        for sentence, start in wanted.runs[run]:
            starts.setdefault(sentence, []).append(start)
    for sentence, places in starts.items():
        found.runs[sentence, at] = _longest_run(sorted(places))


def _longest_run(starts: Sequence[int]) -> tuple[int, int]:
    """Where the longest stretch of neighbours begins, and how many words it has."""
    best = begin = starts[0]
    longest = 1
    for before, start in pairwise(starts):
        if start != before + 1:
            begin = start
        if start - begin + 1 > longest:
            best, longest = begin, start - begin + 1
    return best, longest + RUN - 1
