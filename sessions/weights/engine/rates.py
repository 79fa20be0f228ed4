"""How many tokens a character has, by model and by sort of content: from the API's counts of public sessions, and
fitted to each session as its own counts come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sessions.usage.engine.model_facts import tokenizer_of
from sessions.weights.engine.features import Content, Features, features_of
from sessions.weights.engine.weight import Basis, Weight


class Rate(NamedTuple):
    """Tokens for each character of a sort, and for the block itself."""

    plain: float
    digit: float = 0.0
    line: float = 0.0
    wide: float = 0.0
    block: float = 0.0

    def tokens(self, features: Features) -> float:
        return (
            self.plain * features.plain
            + self.digit * features.digits
            + self.line * features.lines
            + self.wide * features.wide
            + self.block
        )


# Least squares over the groups of the public samples that the API measured: docs/tokens.md has the errors.
_FIRST = {
    Content.PROSE: Rate(0.224, 0.9, 0.5, 0.8, 4),
    Content.ANSWER: Rate(0.27, 0.9, 0.5, 0.5, 4),
    Content.INPUT: Rate(0.31, 0.6, 0.5, 0.4, 42),
    Content.RESULT: Rate(0.289, 0.881, 0.546, 0.4, 20),
    Content.THINKING: Rate(0.188, 0, 0, 0, 4),
    Content.DATA: Rate(0.3, 0.6, 0.5, 0.4, 10),
}
_SECOND = {
    Content.PROSE: Rate(0.323, 1.0, 0.7, 0.8, 4),
    Content.ANSWER: Rate(0.38, 1.0, 0.7, 0.5, 4),
    Content.INPUT: Rate(0.39, 0.7, 0.6, 0.4, 42),
    Content.RESULT: Rate(0.388, 0.958, 0.716, 0.4, 12),
    Content.THINKING: Rate(0.27, 0, 0, 0, 4),
    Content.DATA: Rate(0.39, 0.7, 0.6, 0.4, 10),
}
_BY_TOKENIZER = {1: _FIRST, 2: _SECOND}

PRIOR_TOKENS = 3_000.0
"""So many measured tokens move a rate half of the way from what public sessions have to what this session has."""
MOST_AT_ONCE = 20_000.0
"""One large group must not decide for all others."""


Factors = tuple[float, ...]
"""How much heavier each sort of content is than in public sessions, in the order of `Content`; none for as heavy."""


class Learned(NamedTuple):
    content: Content
    measured: float
    expected: float
    """By the rates of public sessions."""


class Rates:
    """The rates of one model, fitted to what was measured so far."""

    def __init__(self, model: str, factors: Factors = ()) -> None:
        self.model = model
        self._base = _BY_TOKENIZER[tokenizer_of(model)]
        self._measured = {
            content: PRIOR_TOKENS * factor
            for content, factor in zip(Content, factors or (1.0,) * len(Content), strict=True)
        }
        self._expected = dict.fromkeys(Content, PRIOR_TOKENS)

    def estimate(self, features: Features) -> float:
        return self.factor(features.content) * self._base[features.content].tokens(features) + features.pictures

    def factor(self, content: Content) -> float:
        return self._measured[content] / self._expected[content]

    def learn(self, group: Iterable[Features], tokens: float) -> Learned | None:
        """`group` weighs so much. Only groups of one sort of content tell about a rate."""
        parts = list(group)
        sorts = {features.content for features in parts}
        if len(sorts) != 1 or any(features.pictures for features in parts):
            return None
        content = sorts.pop()
        expected = sum(self._base[content].tokens(features) for features in parts)
        share = min(1.0, MOST_AT_ONCE / max(expected, 1.0))
        self._measured[content] += share * tokens
        self._expected[content] += share * expected
        return Learned(content, share * tokens, share * expected)


def estimate_blocks(blocks: Iterable[Mapping[str, Any]], model: str = "") -> Weight:
    """Of blocks that no request has counted."""
    rates = Rates(model)
    return Weight(sum(rates.estimate(features_of(block)) for block in blocks), Basis.ESTIMATED)


def estimate_text(words: str, model: str = "") -> int:
    """Of a text that no request has counted, such as a question that is not sent yet."""
    return round(estimate_blocks([{"type": "text", "text": words}], model).tokens) if words else 0
