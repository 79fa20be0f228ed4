"""Reads the messages once and records which clues of which sentence each of them contains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from compaction.trail.engine.attribution.clues import RUN_LENGTH, Phrase, SentenceClues
from compaction.trail.engine.attribution.words import paths_of, text_of, words_of
from sessions.transcripts.engine.messages import Message

MOST_MESSAGES = 60
"""A clue in more messages than this says nothing about any of them."""

MOST_SENTENCES = 8
"""A run of words in more sentences than this says nothing about any of them."""


@dataclass(slots=True)
class Occurrences:
    """How many messages contain a clue, and the first of them."""

    count: int = 0
    messages: list[int] = field(default_factory=list)

    def add(self, message: int) -> None:
        self.count += 1
        if len(self.messages) <= MOST_MESSAGES:
            self.messages.append(message)


@dataclass(slots=True)
class MessageMatches:
    words: dict[str, Occurrences] = field(default_factory=dict)
    phrases: dict[Phrase, Occurrences] = field(default_factory=dict)
    runs: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """By sentence and message: where the longest run of shared words begins in the sentence, and its length."""
    whole_messages: dict[Phrase, Occurrences] = field(default_factory=dict)
    """Quotes that are the whole text of a message."""
    file_calls: dict[Phrase, set[int]] = field(default_factory=dict)
    """Names of files, with the messages whose tool calls read or change them."""
    sizes: list[int] = field(default_factory=list)
    """The length of each message in words."""


@dataclass(slots=True)
class _SearchTerms:
    words: frozenset[str]
    phrases: dict[int, frozenset[Phrase]]
    """By length."""
    beginnings: frozenset[str]
    """First words of phrases and runs: other positions need not be checked."""
    runs: dict[Phrase, list[tuple[int, int]]]
    """Each with the sentences that contain it, and where."""
    quotes: frozenset[Phrase]


def match_messages(clues: Sequence[SentenceClues], messages: Sequence[Message]) -> MessageMatches:
    terms = _collect_terms(clues)
    matches = MessageMatches()
    longest = max(map(len, terms.quotes), default=0)
    for index, message in enumerate(messages):
        words = words_of(text_of(message))
        matches.sizes.append(len(words))
        for word in terms.words.intersection(words):
            matches.words.setdefault(word, Occurrences()).add(index)
        if len(words) <= longest and (whole := tuple(words)) in terms.quotes:
            matches.whole_messages.setdefault(whole, Occurrences()).add(index)
        _match_phrases(words, terms, matches, index)
        for path in paths_of(message):
            path_words = words_of(path)
            for length, phrases in terms.phrases.items():
                if (name := tuple(path_words[-length:])) in phrases:
                    matches.file_calls.setdefault(name, set()).add(index)
    return matches


def _collect_terms(clues: Iterable[SentenceClues]) -> _SearchTerms:
    words: set[str] = set()
    phrases: set[Phrase] = set()
    runs: dict[Phrase, list[tuple[int, int]]] = {}
    quotes: set[Phrase] = set()
    for sentence in clues:
        words.update(sentence.distinctive_words)
        phrases.update(sentence.phrases)
        quotes.update(sentence.quotes)
        phrases.update(quote for quote in sentence.quotes if 1 < len(quote) < RUN_LENGTH)
        for start in range(len(sentence.words) - RUN_LENGTH + 1):
            runs.setdefault(sentence.words[start : start + RUN_LENGTH], []).append((sentence.number, start))
    # A run in many sentences says nothing about where one of them comes from.
    runs = {run: starts for run, starts in runs.items() if len(starts) <= MOST_SENTENCES}
    lengths = {len(phrase) for phrase in phrases}
    by_length = {length: frozenset(phrase for phrase in phrases if len(phrase) == length) for length in lengths}
    beginnings = frozenset(phrase[0] for phrase in (*phrases, *runs))
    return _SearchTerms(frozenset(words), by_length, beginnings, runs, frozenset(quotes))


def _match_phrases(words: list[str], terms: _SearchTerms, matches: MessageMatches, index: int) -> None:
    """Records the phrases and runs of one message, each once."""
    phrases: set[Phrase] = set()
    runs: set[Phrase] = set()
    beginnings = terms.beginnings
    for start in [position for position, word in enumerate(words) if word in beginnings]:
        run = tuple(words[start : start + RUN_LENGTH])
        if run in terms.runs:
            runs.add(run)
        for length, known_phrases in terms.phrases.items():
            phrase = run[:length] if length <= RUN_LENGTH else tuple(words[start : start + length])
            if phrase in known_phrases:
                phrases.add(phrase)
    for phrase in phrases:
        matches.phrases.setdefault(phrase, Occurrences()).add(index)
    starts: dict[int, list[int]] = {}
    for run in runs:
        for sentence, start in terms.runs[run]:
            starts.setdefault(sentence, []).append(start)
    for sentence, run_starts in starts.items():
        matches.runs[sentence, index] = _longest_run(sorted(run_starts))


def _longest_run(starts: Sequence[int]) -> tuple[int, int]:
    """Where the longest sequence of adjacent runs begins, and how many words it has."""
    best = begin = starts[0]
    longest = 1
    for previous, start in pairwise(starts):
        if start != previous + 1:
            begin = start
        if start - begin + 1 > longest:
            best, longest = begin, start - begin + 1
    return best, longest + RUN_LENGTH - 1
