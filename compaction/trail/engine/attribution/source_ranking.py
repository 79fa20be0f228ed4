"""Decides which messages a sentence comes from, and which only happen to use its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log

from compaction.trail.engine.attribution.attribution import Source, SourceKind
from compaction.trail.engine.attribution.clues import RUN_LENGTH, Phrase, SentenceClues
from compaction.trail.engine.attribution.message_matches import MOST_MESSAGES, MessageMatches, Occurrences
from sessions.text.engine.excerpt import excerpt
from sessions.transcripts.engine.messages import Message, MessageKind

LEAST_WEIGHT_SHARE = 0.3
"""The share of the weight of all words of a sentence that a message must contain, if words are the only evidence."""
LEAST_QUOTE_SHARE = 0.6
"""The same for sentences that quote the user."""
ENOUGH_WORDS, FEW_MESSAGES = 3, 5
"""This many rare words are always enough; fewer only if no more than this number of messages contain them."""
NEAR_BEST = 0.5
"""A message with a lower share of the best score is not a source."""
MOST_SOURCES = 8
"""The most messages that are listed for a sentence."""
QUOTE_LENGTH = 8
"""This many words in a row are a quote, even without quotation marks."""
LONGEST_PATH = 80
_MOST_SHARED = 4
_LONGEST_SHARED = 60
_WHOLE, _PART, _FILE, _CODE, _ACTING, _NAME, _PASSED_ON = 30.0, 12.0, 2.0, 2.0, 2.0, 2.0, 0.5


@dataclass(slots=True)
class _Candidate:
    """A message that may be a source, with its evidence."""

    score: float = 0.0
    kind: SourceKind = SourceKind.WORDS
    shared: list[str] = field(default_factory=list)
    words: dict[str, float] = field(default_factory=dict)

    def add(self, kind: SourceKind, weight: float, shared: str = "") -> None:
        order = list(SourceKind)
        if order.index(kind) < order.index(self.kind):
            self.kind, self.shared = kind, []
        if shared and kind is self.kind and shared not in self.shared:
            self.shared.append(shared)
        self.score += weight


def rank_sources(
    clues: Sequence[SentenceClues], matches: MessageMatches, messages: Sequence[Message], user_quotes: set[int]
) -> dict[int, tuple[Source, ...]]:
    """The sources of each sentence that has any. `user_quotes`: the sentences that quote the user."""
    ranking = _SourceRanking(matches, messages)
    sources = {}
    for sentence in clues:
        if sentence_sources := ranking.sources(sentence, is_user_quote=sentence.number in user_quotes):
            sources[sentence.number] = sentence_sources
    return sources


class _SourceRanking:
    def __init__(self, matches: MessageMatches, messages: Sequence[Message]) -> None:
        self._matches = matches
        self._messages = messages
        self._average = max(1.0, sum(matches.sizes) / max(1, len(matches.sizes)))
        self._runs: dict[int, list[tuple[int, int, int]]] = {}
        for (sentence, index), (start, length) in matches.runs.items():
            self._runs.setdefault(sentence, []).append((index, start, length))

    def sources(self, clues: SentenceClues, *, is_user_quote: bool) -> tuple[Source, ...]:
        candidates: dict[int, _Candidate] = {}
        self._add_quotes(clues, candidates)
        self._add_phrases(clues, candidates)
        self._add_words(clues, candidates, LEAST_QUOTE_SHARE if is_user_quote else LEAST_WEIGHT_SHARE)
        for index, candidate in candidates.items():
            if self._messages[index].kind is MessageKind.SUMMARY:
                candidate.score *= _PASSED_ON
        if is_user_quote:  # the words of users are in their own messages, unless other messages quote them
            from_user = {
                index: candidate
                for index, candidate in candidates.items()
                if self._messages[index].kind in (MessageKind.PROMPT, MessageKind.SUMMARY)
            }
            quoting = {
                index: candidate for index, candidate in candidates.items() if candidate.kind is SourceKind.QUOTE
            }
            candidates = from_user or quoting
        best = max((candidate.score for candidate in candidates.values()), default=0.0)
        ranked = sorted(
            (-candidate.score, index) for index, candidate in candidates.items() if candidate.score >= NEAR_BEST * best
        )
        return tuple(self._source(index, candidates[index]) for _, index in ranked[:MOST_SOURCES])

    def _source(self, index: int, candidate: _Candidate) -> Source:
        message = self._messages[index]
        shared = candidate.shared
        if candidate.kind is SourceKind.WORDS:
            shared = sorted(candidate.words, key=lambda word: (-candidate.words[word], word))
        shortened = tuple(excerpt(text, _LONGEST_SHARED) for text in shared[:_MOST_SHARED])
        return Source(message.uuid, candidate.kind, shortened, message.position)

    def _add_quotes(self, clues: SentenceClues, candidates: dict[int, _Candidate]) -> None:
        for quote in clues.quotes:
            for index in _distinctive_messages(self._matches.whole_messages.get(quote)):
                candidates.setdefault(index, _Candidate()).add(SourceKind.QUOTE, _WHOLE)
            if 1 < len(quote) < RUN_LENGTH:
                for index in _distinctive_messages(self._matches.phrases.get(quote)):
                    weight = self._weight(self._matches.phrases[quote].count, index)
                    candidates.setdefault(index, _Candidate()).add(SourceKind.QUOTE, weight, " ".join(quote))
        for index, start, length in self._runs.get(clues.number, ()):
            run = clues.words[start : start + length]
            if length < LONGEST_PATH and any(_is_within(run, path) for path in clues.paths):
                continue
            is_marked = any(len(quote) >= RUN_LENGTH and _is_within(quote, run) for quote in clues.quotes)
            if is_marked or length >= QUOTE_LENGTH or length >= self._matches.sizes[index]:
                candidates.setdefault(index, _Candidate()).add(SourceKind.QUOTE, _PART + length, " ".join(run))

    def _add_phrases(self, clues: SentenceClues, candidates: dict[int, _Candidate]) -> None:
        for phrase, (kind, text) in clues.phrases.items():
            factor = _FILE if kind is SourceKind.FILE else _CODE
            occurrences = self._matches.phrases.get(phrase)
            callers = self._matches.file_calls.get(phrase, ())
            if occurrences is None:
                continue
            # If many messages name a file, those that read or change it still count.
            for index in _distinctive_messages(occurrences) or sorted(callers)[:MOST_MESSAGES]:
                weight = self._weight(occurrences.count, index) * factor
                candidates.setdefault(index, _Candidate()).add(
                    kind, weight * _ACTING if index in callers else weight, text
                )

    def _add_words(self, clues: SentenceClues, candidates: dict[int, _Candidate], least: float) -> None:
        """Words alone count if a message contains enough of them; beside better evidence they always count."""
        rarities: dict[int, dict[str, float]] = {}
        total_rarity = 0.0
        for word in dict.fromkeys(clues.distinctive_words):
            occurrences = self._matches.words.get(word)
            rarity = self._rarity(occurrences.count if occurrences else 0) * (_NAME if word in clues.names else 1)
            total_rarity += rarity
            for index in _distinctive_messages(occurrences):
                rarities.setdefault(index, {})[word] = rarity
        for index, words in rarities.items():
            total = sum(words.values())
            same_file = any(index in self._matches.file_calls.get(file, ()) for file in clues.parent_files)
            if index in candidates or (
                total >= least * total_rarity and self._are_distinctive(clues, list(words), same_file=same_file)
            ):
                candidate = candidates.setdefault(index, _Candidate())
                candidate.words = words
                candidate.score += total * self._share(index) * (_ACTING if same_file else 1)

    def _are_distinctive(self, clues: SentenceClues, words: Sequence[str], *, same_file: bool) -> bool:
        """Three words are enough. Two words or one identifier are enough if hardly any other message contains them; so
        is an identifier in a message about the same file as the sentence."""
        if len(words) >= ENOUGH_WORDS:
            return True
        has_name = not clues.names.isdisjoint(words)
        all_rare = all(self._matches.words[word].count <= FEW_MESSAGES for word in words)
        return (has_name and same_file) or (all_rare and (has_name or len(words) > 1))

    def _weight(self, count: int, index: int) -> float:
        return self._rarity(count) * self._share(index)

    def _rarity(self, count: int) -> float:
        return log((len(self._messages) + 1) / (count + 0.5)) if count <= len(self._messages) else 0.0

    def _share(self, index: int) -> float:
        """Lower for long messages, which contain many words by chance."""
        return 1 / (1 + log(1 + self._matches.sizes[index] / self._average))


def _distinctive_messages(occurrences: Occurrences | None) -> Sequence[int]:
    return occurrences.messages if occurrences is not None and occurrences.count <= MOST_MESSAGES else ()


def _is_within(quote: Phrase, run: Phrase) -> bool:
    return any(run[start : start + len(quote)] == quote for start in range(len(run) - len(quote) + 1))
