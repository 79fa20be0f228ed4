"""What measured sessions tell about the rates of a model: how much heavier or lighter each sort of content is than
public sessions make it. What was not counted is estimated by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from sessions.weights.engine.features import Content
from sessions.weights.engine.rates import Factors, Learned

MOST_OF_SESSION = 10_000.0
"""Tokens of one sort that one session tells about."""
PUBLIC_TOKENS = 30_000.0
"""What public sessions count, as if it were three sessions."""
LEAST_TO_COMPARE = 2_000
"""Tokens of a session whose estimate is compared with its counts."""

Evidence = dict[Content, tuple[float, float]]
"""Tokens as they were counted, and as the rates of public sessions have them."""


@dataclass(slots=True)
class Calibration:
    """Of one model."""

    evidence: Evidence = field(default_factory=dict)

    def learn(self, learned: Learned) -> None:
        self._add(learned.content, learned.measured, learned.expected)

    def learn_all(self, evidence: Evidence) -> None:
        """Of the session itself."""
        for content, (measured, expected) in evidence.items():
            self._add(content, measured, expected)

    def include(self, evidence: Mapping[Content, tuple[float, float]]) -> None:
        """Of another session: sessions differ from each other more than their length says."""
        for content, (measured, expected) in evidence.items():
            share = min(1.0, MOST_OF_SESSION / expected) if expected else 0.0
            self._add(content, share * measured, share * expected)

    def factors(self) -> Factors:
        """A little evidence moves a rate a little."""
        return tuple(self._factor(content) for content in Content)

    def _add(self, content: Content, measured: float, expected: float) -> None:
        before = self.evidence.get(content, (0.0, 0.0))
        self.evidence[content] = before[0] + measured, before[1] + expected

    def _factor(self, content: Content) -> float:
        measured, expected = self.evidence.get(content, (0.0, 0.0))
        return (PUBLIC_TOKENS + measured) / (PUBLIC_TOKENS + expected)


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
    each = [evidence for evidence in sessions if sum(measured for measured, _ in evidence.values()) >= LEAST_TO_COMPARE]
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
