"""Weighs what was found: which messages a sentence comes from, and which of them only happen to use its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log

from compaction.trail.engine.attribution.attribution import Source, Why
from compaction.trail.engine.attribution.clues import RUN, Clues, Phrase
from compaction.trail.engine.attribution.finding import MOST, Findings, Seen
from sessions.transcripts.engine.messages import Message, MessageKind

LEAST = 0.3
"""Of the weight of all words of a sentence: what a message has to hold of it, where words are all there is."""
SPOKEN = 0.6
"""The same for what is given as words of the user."""
ENOUGH, FEW = 3, 5
"""So many rare words are enough, whoever else holds them; fewer only if they stand in so few messages."""
NEAR_BEST = 0.5
"""A message that has less than this of what the best one has is no source beside it."""
SOURCES = 8
"""Messages that are named for a sentence."""
QUOTED = 8
"""Words in a row that are a quote, whether they are marked as one or not."""
LONGEST_PATH = 80
_SHOWN = 4
_LONGEST_SHOWN = 60
_WHOLE, _PART, _FILE, _CODE, _ACTING, _NAME, _PASSED_ON = 30.0, 12.0, 2.0, 2.0, 2.0, 2.0, 0.5


@dataclass(slots=True)
class _Case:
    """For a message as a source."""

    score: float = 0.0
    why: Why = Why.WORDS
    shown: list[str] = field(default_factory=list)
    words: dict[str, float] = field(default_factory=dict)

    def add(self, why: Why, weight: float, shown: str = "") -> None:
        order = list(Why)
        if order.index(why) < order.index(self.why):
            self.why, self.shown = why, []
        if shown and why is self.why and shown not in self.shown:
            self.shown.append(shown)
        self.score += weight


def judged(
    clues: Sequence[Clues], found: Findings, messages: Sequence[Message], spoken: set[int]
) -> dict[int, tuple[Source, ...]]:
    """The sources of each sentence that has some. `spoken`: sentences that are given as words of the user."""
    judge = _Judge(found, messages)
    sources = {}
    for one in clues:
        if named := judge.sources(one, spoken=one.number in spoken):
            sources[one.number] = named
    return sources


class _Judge:
    def __init__(self, found: Findings, messages: Sequence[Message]) -> None:
        self._found = found
        self._messages = messages
        self._average = max(1.0, sum(found.sizes) / max(1, len(found.sizes)))
        self._runs: dict[int, list[tuple[int, int, int]]] = {}
        for (sentence, at), (start, length) in found.runs.items():
            self._runs.setdefault(sentence, []).append((at, start, length))

    def sources(self, clues: Clues, *, spoken: bool) -> tuple[Source, ...]:
        cases: dict[int, _Case] = {}
        self._quotes(clues, cases)
        self._phrases(clues, cases)
        self._words(clues, cases, SPOKEN if spoken else LEAST)
        for at, case in cases.items():
            if self._messages[at].kind is MessageKind.SUMMARY:
                case.score *= _PASSED_ON
        if spoken:  # what users said stands in their messages, unless somebody else quotes them
            own = {
                at: case
                for at, case in cases.items()
                if self._messages[at].kind in (MessageKind.PROMPT, MessageKind.SUMMARY)
            }
            quoting = {at: case for at, case in cases.items() if case.why is Why.QUOTE}
            cases = own or quoting
        best = max((case.score for case in cases.values()), default=0.0)
        ranked = sorted((-case.score, at) for at, case in cases.items() if case.score >= NEAR_BEST * best)
        return tuple(self._source(at, cases[at]) for _, at in ranked[:SOURCES])

    def _source(self, at: int, case: _Case) -> Source:
        message = self._messages[at]
        shown = case.shown
        if case.why is Why.WORDS:
            shown = sorted(case.words, key=lambda word: (-case.words[word], word))
        kept = tuple(_line(one) for one in shown[:_SHOWN])
        return Source(message.uuid, case.why, kept, message.position)

    def _quotes(self, clues: Clues, cases: dict[int, _Case]) -> None:
        for quote in clues.quotes:
            for at in _places(self._found.wholes.get(quote)):
                cases.setdefault(at, _Case()).add(Why.QUOTE, _WHOLE)
            if 1 < len(quote) < RUN:
                for at in _places(self._found.phrases.get(quote)):
                    weight = self._weight(self._found.phrases[quote].count, at)
                    cases.setdefault(at, _Case()).add(Why.QUOTE, weight, " ".join(quote))
        for at, start, length in self._runs.get(clues.number, ()):
            run = clues.words[start : start + length]
            if length < LONGEST_PATH and any(_within(run, path) for path in clues.paths):
                continue
            marked = any(len(quote) >= RUN and _within(quote, run) for quote in clues.quotes)
            if marked or length >= QUOTED or length >= self._found.sizes[at]:
                cases.setdefault(at, _Case()).add(Why.QUOTE, _PART + length, " ".join(run))

    def _phrases(self, clues: Clues, cases: dict[int, _Case]) -> None:
        for phrase, (why, shown) in clues.phrases.items():
            factor = _FILE if why is Why.FILE else _CODE
            seen = self._found.phrases.get(phrase)
            acting = self._found.acts.get(phrase, ())
            if seen is None:
                continue
            # A file that everybody speaks of still has those who read or change it.
            for at in _places(seen) or sorted(acting)[:MOST]:
                weight = self._weight(seen.count, at) * factor
                cases.setdefault(at, _Case()).add(why, weight * _ACTING if at in acting else weight, shown)

    def _words(self, clues: Clues, cases: dict[int, _Case], least: float) -> None:
        """Words alone count where a message holds enough of them, and beside better evidence always."""
        held: dict[int, dict[str, float]] = {}
        mass = 0.0
        for word in dict.fromkeys(clues.telling):
            seen = self._found.words.get(word)
            rarity = self._rarity(seen.count if seen else 0) * (_NAME if word in clues.names else 1)
            mass += rarity
            for at in _places(seen):
                held.setdefault(at, {})[word] = rarity
        for at, words in held.items():
            total = sum(words.values())
            about = any(at in self._found.acts.get(file, ()) for file in clues.under)
            if at in cases or (total >= least * mass and self._telling(clues, list(words), about=about)):
                case = cases.setdefault(at, _Case())
                case.words = words
                case.score += total * self._share(at) * (_ACTING if about else 1)

    def _telling(self, clues: Clues, words: Sequence[str], *, about: bool) -> bool:
        """Three words single a message out. Fewer do if hardly any other holds them: two, or one name in code; and a
        name does in a message about the file that the sentence is about."""
        if len(words) >= ENOUGH:
            return True
        named = not clues.names.isdisjoint(words)
        rare = all(self._found.words[word].count <= FEW for word in words)
        return (named and about) or (rare and (named or len(words) > 1))

    def _weight(self, count: int, at: int) -> float:
        return self._rarity(count) * self._share(at)

    def _rarity(self, count: int) -> float:
        return log((len(self._messages) + 1) / (count + 0.5)) if count <= len(self._messages) else 0.0

    def _share(self, at: int) -> float:
        """A long message holds many words by chance."""
        return 1 / (1 + log(1 + self._found.sizes[at] / self._average))


def _places(seen: Seen | None) -> Sequence[int]:
    return seen.places if seen is not None and seen.count <= MOST else ()


def _within(quote: Phrase, run: Phrase) -> bool:
    return any(run[start : start + len(quote)] == quote for start in range(len(run) - len(quote) + 1))


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_SHOWN else f"{flat[: _LONGEST_SHOWN - 1]}…"
