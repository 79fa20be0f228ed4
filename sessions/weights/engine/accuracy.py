"""How well the weights explain what the API counted, and how well they predict it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from sessions.weights.engine.table import Measured


@dataclass(frozen=True, slots=True)
class Accuracy:
    requests: int
    named_median: float
    """The share of a prompt that parts with a name explain: what stands before the messages and what comes with a
    compaction among them, although often no record holds these."""
    named_low: float
    """At the 5th percentile."""
    recorded_median: float
    """The share of a prompt that its messages explain, which are in records. What stands before them has a name, but
    often no record."""
    predicted: int
    """Requests whose size could be predicted from what was known before."""
    error_median: float | None
    """Of the prediction, as a share of the prompt."""
    error_high: float | None
    """At the 95th percentile."""


def accuracy_of(requests: Iterable[tuple[Measured, int]]) -> Accuracy | None:
    """`requests`: each with the prompt that the API counted. None without any."""
    pairs = [(measured, counted) for measured, counted in requests if counted > 0]
    if not pairs:
        return None
    explained = [(measured.named + measured.attached, counted) for measured, counted in pairs]
    named = [min(tokens, counted) / max(tokens, counted) for tokens, counted in explained]
    recorded = [min(measured.named - measured.head.tokens, counted) / counted for measured, counted in pairs]
    errors = [abs(measured.predicted - counted) / counted for measured, counted in pairs if measured.predicted >= 0]
    return Accuracy(
        len(pairs),
        median(named),
        percentile(named, 0.05),
        median(recorded),
        len(errors),
        median(errors) if errors else None,
        percentile(errors, 0.95) if errors else None,
    )


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]
