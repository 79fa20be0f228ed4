"""Follows the requests of one conversation, and works out what each part of their prompts weighs.

What a request counts beyond the request before it is shared out among the parts that are new in it. A part keeps the
weight that it got. What was counted before the first message is the head: system prompt, tools, and whatever the client
adds without writing it down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sessions.usage.engine.model_facts import tokenizer_of
from sessions.weights.engine.calibration import Calibration
from sessions.weights.engine.features import Content, Features
from sessions.weights.engine.rates import Rates
from sessions.weights.engine.weight import Basis, Weight

LEAST_OF_ESTIMATE = 0.4
MOST_OF_ESTIMATE = 2.5
"""A group that was counted as less or more than this times its estimate holds something that no record tells of."""
LEAST_OF_PROSE = 0.7
MOST_OF_PROSE = 1.5
"""Prose is estimated better: a summary that was counted as more came with files that no record tells of."""
SLACK = 300
"""Tokens of reminders that come unrecorded with almost any message of older clients."""
LEFT_AFTER_COMPACTION = 0.5
"""If less than this share of the messages is still sent, they were compacted or cleared."""
CREDIBLE_OUTPUT = 0.5
"""An answer that counts less than this times its estimate is a count from the beginning of the stream."""


class Part(NamedTuple):
    """A block in a prompt. `key` stays the same as long as the block does."""

    key: Hashable
    features: Features
    answer: str = ""
    """The id of the answer that it belongs to."""
    server_call: bool = False
    """The server ran it while it answered, and counted the prompt once for each time."""


@dataclass(frozen=True, slots=True)
class Count:
    """A request as the API counted it."""

    position: int
    """Where its answer stands: what is measured holds from there on."""
    request: str
    model: str
    prompt: int
    read: int
    """Of the prompt, from the cache."""
    output: int


@dataclass(frozen=True, slots=True)
class Sizing:
    """What is known of the size of one request."""

    count: Count
    predicted: float | None
    """The prompt, before its own count was looked at; None for the first of a conversation."""
    head: Weight
    parts: float
    unrecorded: float
    """Counted, but in no part: what the client sent without a record of it."""
    attached: float = 0.0
    """Of that, what came with a compaction: files, notes and lists that the client gives again."""

    @property
    def named(self) -> float:
        return self.head.tokens + self.parts


class Change(NamedTuple):
    """From the request at `since` on, a part has this weight."""

    since: int
    key: Hashable
    weight: Weight


@dataclass(slots=True)
class _Pending:
    """A request whose count is not apportioned yet, because only the next one shows its answer."""

    count: Count
    parts: Counter[Hashable]
    group: list[Hashable]
    predicted: float | None
    is_cut: bool
    """Most messages of the request before it are sent no more: it comes after a compaction."""


@dataclass(slots=True)
class Ledger:
    weights: dict[Hashable, Weight] = field(default_factory=dict)
    head: Weight | None = None
    unrecorded: float = 0.0
    attached: float = 0.0
    changes: list[Change] = field(default_factory=list)
    """In the order of the requests."""
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    """By model: what the counts tell about its rates."""
    _features: dict[Hashable, Features] = field(default_factory=dict)
    _rates: dict[int, Rates] = field(default_factory=dict)
    _model: str = ""
    _pending: _Pending | None = None

    def feed(self, count: Count, parts: Sequence[Part]) -> Sizing | None:
        """The next request. Returns the sizing of the one before it, which is complete only now."""
        before = self._pending
        known = self._count_parts(parts)
        new = [part for part in parts if part.key not in self.weights]
        answer = [part for part in new if before is not None and part.answer == before.count.request]
        sizing = self._settle(several_prompts=any(part.server_call for part in answer))
        is_cut = before is not None and self._forget_unrecorded(before.parts, known)
        self._follow_model(count.model, since=count.position)
        rates = self.rates(count.model)
        for part in new:
            self._features[part.key] = part.features
            self.weights[part.key] = Weight(rates.estimate(part.features), Basis.ESTIMATED)
        counted = before is not None and self._weigh_answer(answer, before.count.output, since=count.position)
        group = [part.key for part in new if not (counted and part in answer)]
        self._pending = _Pending(count, known, group, None if self.head is None else self._predict(known), is_cut)
        return sizing

    def finish(self) -> Sizing | None:
        """The sizing of the last request."""
        return self._settle(several_prompts=False)

    def rates(self, model: str) -> Rates:
        tokenizer = tokenizer_of(model)
        if tokenizer not in self._rates:
            self._rates[tokenizer] = Rates(model)
        return self._rates[tokenizer]

    def _forget_unrecorded(self, before: Mapping[Hashable, int], now: Mapping[Hashable, int]) -> bool:
        """What no record tells of went along with messages: if most of them are sent no more, as much of it is left."""
        whole = self._sum(before)
        left = self._sum({key: times for key, times in before.items() if key in now})
        if left >= LEFT_AFTER_COMPACTION * whole:
            return False
        self.unrecorded *= left / whole
        self.attached *= left / whole
        return True

    def _count_parts(self, parts: Iterable[Part]) -> Counter[Hashable]:
        return Counter(part.key for part in parts)

    def _predict(self, parts: Mapping[Hashable, int]) -> float:
        head = self.head.tokens if self.head is not None else 0.0
        return head + self.unrecorded + self._sum(parts)

    def _sum(self, parts: Mapping[Hashable, int]) -> float:
        return sum(self.weights[key].tokens * times for key, times in parts.items())

    def _follow_model(self, model: str, *, since: int) -> None:
        """Rescales the weights after a switch of the model, because another tokenizer counts differently."""
        before, self._model = self._model, model
        if not before or tokenizer_of(before) == tokenizer_of(model):
            return
        old, new = self.rates(before), self.rates(model)
        for key, features in self._features.items():
            ratio = new.estimate(features) / max(old.estimate(features), 1e-9)
            self._set(since, key, Weight(self.weights[key].tokens * ratio, Basis.ESTIMATED))
        prose = Features(Content.PROSE, plain=1_000)
        ratio = new.estimate(prose) / old.estimate(prose)
        self.unrecorded *= ratio
        self.attached *= ratio
        if self.head is not None:
            self.head = Weight(self.head.tokens * ratio, Basis.ESTIMATED)

    def _weigh_answer(self, answer: Sequence[Part], output: int, *, since: int) -> bool:
        """Gives an answer its output count as weight. False if that cannot be all of it."""
        visible = [part for part in answer if part.features.content is not Content.THINKING]
        thoughts = [part for part in answer if part.features.content is Content.THINKING]
        spoken = sum(self.weights[part.key].tokens for part in visible)
        if not answer or output < CREDIBLE_OUTPUT * spoken or (thoughts and not visible and output < 10):
            return False
        basis = Basis.MEASURED if len(answer) == 1 else Basis.APPORTIONED
        if thoughts and output > spoken:
            self._share([part.key for part in thoughts], output - spoken, basis, since)
            self._share([part.key for part in visible], spoken, basis, since)
        elif thoughts or output < MOST_OF_ESTIMATE * spoken + SLACK:
            self._share([part.key for part in answer], output, basis, since)
        # Else most of the output were thoughts that did not stay.
        return True

    def _share(self, keys: Sequence[Hashable], tokens: float, basis: Basis, since: int) -> None:
        total = sum(self.weights[key].tokens for key in keys)
        for key in keys:
            part = self.weights[key].tokens / total if total and len(keys) > 1 else 1 / len(keys)
            self._set(since, key, Weight(tokens * part, basis))

    def _set(self, since: int, key: Hashable, weight: Weight) -> None:
        self.weights[key] = weight
        self.changes.append(Change(since, key, weight))

    def _settle(self, *, several_prompts: bool) -> Sizing | None:
        pending, self._pending = self._pending, None
        if pending is None:
            return None
        if self.head is None:
            self._weigh_head(pending)
        elif not several_prompts:
            self._weigh_group(pending)
        assert self.head is not None
        parts = self._sum(pending.parts)
        return Sizing(pending.count, pending.predicted, self.head, parts, self.unrecorded, self.attached)

    def _weigh_head(self, pending: _Pending) -> None:
        """The first request: whatever its messages do not weigh is before them."""
        messages = self._sum(pending.parts)
        if messages > pending.count.prompt:
            self._share(list(pending.parts), pending.count.prompt, Basis.APPORTIONED, pending.count.position)
            messages = pending.count.prompt
        self.head = Weight(pending.count.prompt - messages, Basis.APPORTIONED)

    def _weigh_group(self, pending: _Pending) -> None:
        since = pending.count.position
        surplus = pending.count.prompt - self._predict(pending.parts)
        group = sum(self.weights[key].tokens for key in pending.group)
        least, most = self._range(pending.group)
        least, most = least * group, most * group + SLACK
        if group and least <= group + surplus <= most:
            measured = group + surplus
            features = [self._features[key] for key in pending.group]
            if learned := self.rates(pending.count.model).learn(features, measured):
                self.calibrations.setdefault(pending.count.model, Calibration()).learn(learned)
            basis = Basis.MEASURED if len(pending.group) == 1 else Basis.APPORTIONED
            self._share(pending.group, measured, basis, since)
        elif surplus < 0:
            self._lose(pending, -surplus)
        elif thoughts := [key for key in pending.group if self._features[key].content is Content.THINKING]:
            # What is recorded of a thought may be a summary of it: the count alone tells how long it was.
            thought = sum(self.weights[key].tokens for key in thoughts)
            self._share(thoughts, thought + surplus, Basis.APPORTIONED, since)
        else:
            self._gain(pending, surplus)

    def _delete_results(self, pending: _Pending, tokens: float) -> float:
        """Returns what they do not account for."""
        for key in pending.parts:
            if tokens < 0.5:
                break
            if self._features[key].content is Content.RESULT:
                gone = min(self.weights[key].tokens, tokens)
                self._set(pending.count.position, key, Weight(self.weights[key].tokens - gone, Basis.APPORTIONED))
                tokens -= gone
        return tokens

    def _range(self, group: Sequence[Hashable]) -> tuple[float, float]:
        """How far a count of these parts may be from their estimate."""
        if all(self._features[key].content is Content.PROSE for key in group):
            return LEAST_OF_PROSE, MOST_OF_PROSE
        return LEAST_OF_ESTIMATE, MOST_OF_ESTIMATE

    def _gain(self, pending: _Pending, tokens: float) -> None:
        """More was sent than any record tells of: a new head where the cache shows that it changed. After a compaction
        older clients attach files without a record of it."""
        assert self.head is not None
        if pending.count.read < 0.9 * self.head.tokens and not pending.is_cut:
            self.head = Weight(self.head.tokens + tokens, Basis.APPORTIONED)
        else:
            self.unrecorded += tokens
            self.attached += tokens if pending.is_cut else 0.0

    def _lose(self, pending: _Pending, tokens: float) -> None:
        """Less was sent: thoughts of turns that are over go first, then what was never recorded. If the cache shows
        that the beginning of the prompt is the same, the oldest results were deleted from it; else the head changed."""
        assert self.head is not None
        thoughts = [key for key in pending.parts if self._features[key].content is Content.THINKING]
        thought = sum(self.weights[key].tokens for key in thoughts)
        gone = min(thought, tokens)
        if gone:
            self._share(thoughts, thought - gone, Basis.APPORTIONED, pending.count.position)
        tokens -= gone
        gone = min(self.unrecorded, tokens)
        self.unrecorded -= gone
        self.attached = min(self.attached, self.unrecorded)
        tokens -= gone
        group = sum(self.weights[key].tokens for key in pending.group)
        gone = min((1 - self._range(pending.group)[0]) * group, tokens)
        if gone:
            self._share(pending.group, group - gone, Basis.ESTIMATED, pending.count.position)
        tokens -= gone
        if pending.count.read >= 0.9 * self.head.tokens:
            tokens = self._delete_results(pending, tokens)
        self.head = Weight(max(0.0, self.head.tokens - tokens), Basis.APPORTIONED)
