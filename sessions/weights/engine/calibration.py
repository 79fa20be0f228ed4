"""What measured sessions tell about the rates of a model: how much heavier or lighter each sort of content is than
public sessions make it. What was not counted is estimated by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from sessions.weights.engine.features import Content
from sessions.weights.engine.rates import PRIOR_TOKENS, Factors, Learned

Evidence = dict[Content, tuple[float, float]]
"""Tokens as they were counted, and as the rates of public sessions have them."""


@dataclass(slots=True)
class Calibration:
    """Of one model."""

    evidence: Evidence = field(default_factory=dict)

    def learn(self, learned: Learned) -> None:
        self._add(learned.content, learned.measured, learned.expected)

    def include(self, evidence: Mapping[Content, tuple[float, float]]) -> None:
        for content, (measured, expected) in evidence.items():
            self._add(content, measured, expected)

    def factors(self) -> Factors:
        """A little evidence moves a rate a little."""
        return tuple(self._factor(content) for content in Content)

    def _add(self, content: Content, measured: float, expected: float) -> None:
        before = self.evidence.get(content, (0.0, 0.0))
        self.evidence[content] = before[0] + measured, before[1] + expected

    def _factor(self, content: Content) -> float:
        measured, expected = self.evidence.get(content, (0.0, 0.0))
        return (PRIOR_TOKENS + measured) / (PRIOR_TOKENS + expected)


@dataclass(frozen=True, slots=True)
class EstimateError:
    """How far estimates are from what the API counted, as a share of it. Each session is estimated by the others."""

    sessions: int
    by_code: float
    """The median with the rates of public sessions alone."""
    by_archive: float
    """The same, calibrated."""
    by_archive_high: float
    """At the 95th percentile."""


def estimate_error(sessions: Iterable[Evidence]) -> EstimateError | None:
    """`sessions`: the evidence of each, of one model. None if there are too few to tell."""
    each = [evidence for evidence in sessions if evidence]
    if len(each) < 2:
        return None
    by_code, by_archive = [], []
    for number, evidence in enumerate(each):
        others = Calibration()
        for other in (*each[:number], *each[number + 1 :]):
            others.include(other)
        factors = dict(zip(Content, others.factors(), strict=True))
        measured = sum(tokens for tokens, _ in evidence.values())
        by_code.append(abs(sum(expected for _, expected in evidence.values()) - measured) / measured)
        calibrated = sum(factors[content] * expected for content, (_, expected) in evidence.items())
        by_archive.append(abs(calibrated - measured) / measured)
    high = sorted(by_archive)[round(0.95 * (len(by_archive) - 1))]
    return EstimateError(len(each), median(by_code), median(by_archive), high)
