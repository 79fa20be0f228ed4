"""Sentences about the cache of a session or of many: did it break, why, and what did that cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.cache.engine.causes.cause_names import TITLES
from sessions.text.engine.words import money, plural, tokens


@dataclass(frozen=True, slots=True)
class Loss:
    """What one break, or all breaks with the same cause, cost."""

    cause: str
    wasted: int
    cost: float | None
    count: int = 1
    unpriced: int = 0
    """Breaks of models without a known price, which are not in the cost."""


def cause_title(cause: str) -> str:
    return TITLES.get(cause, cause.replace("_", " "))


def format_percent(share: float | None) -> str:
    if share is None:
        return "unknown"
    value = 100 * share
    return f"{value:.1f}%" if 99 <= value < 100 or 0 < value < 1 else f"{value:.0f}%"


def describe_cache(totals: Mapping[str, Any], losses: Sequence[Loss], subject: str = "this session") -> str:
    """`losses`: the unexpected ones, the worst first, by cause."""
    prompt = sum(_as_count(totals.get(name)) for name in ("read", "written", "fresh"))
    if not prompt:
        return f"No request of {subject} has a count of its prompt, so nothing can be said about its cache."
    count = sum(loss.count for loss in losses)
    expected = _describe_expected(totals, losses)
    if not count:
        return f"The cache of {subject} never broke unexpectedly{_describe_savings(totals)}.{expected}"
    wasted = sum(loss.wasted for loss in losses)
    costs = [loss.cost for loss in losses if loss.cost is not None]
    qualifier = "at least " if any(loss.unpriced for loss in losses) else ""
    price = f"{qualifier}{money(sum(costs))}" if costs else "an unknown sum (no price is known)"
    times = "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"
    sentence = f"The cache of {subject} broke {times} unexpectedly, which cost {price}"
    return f"{sentence}: {tokens(wasted)} tokens were sent again. {_describe_causes(losses, count)}{expected}"


def _describe_causes(losses: Sequence[Loss], count: int) -> str:
    worst = losses[0]
    if count == 1:
        return f"The cause: {cause_title(worst.cause)}."
    share = plural(worst.count, "time")
    cost = f", {money(worst.cost)}" if worst.cost is not None else ""
    if len(losses) == 1:
        return f"The cause was the same each time: {cause_title(worst.cause)}."
    return f"What cost most: {cause_title(worst.cause)} ({share}{cost})."


def _describe_expected(totals: Mapping[str, Any], losses: Sequence[Loss]) -> str:
    """What expected drops cost: the totals of a session include all drops."""
    tokens_expected = _as_count(totals.get("wasted")) - sum(loss.wasted for loss in losses)
    if tokens_expected <= 0:
        return ""
    cost = totals.get("wasted_cost")
    unexpected_cost = sum(loss.cost for loss in losses if loss.cost is not None)
    price = f" for {money(cost - unexpected_cost)}" if isinstance(cost, float | int) and cost > unexpected_cost else ""
    return f" Drops that were to be expected sent {tokens(tokens_expected)} tokens again{price}."


def _describe_savings(totals: Mapping[str, Any]) -> str:
    rate = totals.get("hit_rate")
    clause = f": {format_percent(rate)} of all prompt tokens were read from it" if isinstance(rate, float | int) else ""
    cost, without = totals.get("cost"), totals.get("cost_without")
    if isinstance(cost, float | int) and isinstance(without, float | int) and without > cost:
        return f"{clause}, which saved {money(without - cost)}"
    return clause


def _as_count(value: object) -> int:
    return value if isinstance(value, int) else 0
