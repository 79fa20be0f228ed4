"""What the cache did for a session or for many, in a sentence: did it break, why, and what did that cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.cache.engine.names import TITLES
from sessions.text.engine.words import money, plural, tokens


@dataclass(frozen=True, slots=True)
class Loss:
    """What breaks of one cause, or one break, came to."""

    cause: str
    wasted: int
    cost: float | None
    count: int = 1
    unpriced: int = 0
    """Breaks of models without a known price: they are not in the cost."""


def title_of(cause: str) -> str:
    return TITLES.get(cause, cause.replace("_", " "))


def percent(share: float | None) -> str:
    if share is None:
        return "unknown"
    value = 100 * share
    return f"{value:.1f}%" if 99 <= value < 100 or 0 < value < 1 else f"{value:.0f}%"


def answer(totals: Mapping[str, Any], losses: Sequence[Loss], what: str = "this session") -> str:
    """`losses`: the unexpected ones, the worst first, by cause."""
    prompt = sum(_count(totals.get(name)) for name in ("read", "written", "fresh"))
    if not prompt:
        return f"No request of {what} has a count of its prompt, so nothing can be said about its cache."
    count = sum(loss.count for loss in losses)
    if not count:
        return f"The cache of {what} never broke unexpectedly{_saved(totals)}.{_foreseen(totals, losses)}"
    wasted = sum(loss.wasted for loss in losses)
    known = [loss.cost for loss in losses if loss.cost is not None]
    least = "at least " if any(loss.unpriced for loss in losses) else ""
    price = f"{least}{money(sum(known))}" if known else "an unknown sum (no price is known)"
    times = "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"
    told = (
        f"The cache of {what} broke {times} unexpectedly, which cost {price}: {tokens(wasted)} tokens were sent again"
    )
    return f"{told}. {_why(losses, count)}{_foreseen(totals, losses)}"


def _why(losses: Sequence[Loss], count: int) -> str:
    worst = losses[0]
    if count == 1:
        return f"The cause: {title_of(worst.cause)}."
    share = plural(worst.count, "time")
    cost = f", {money(worst.cost)}" if worst.cost is not None else ""
    if len(losses) == 1:
        return f"The cause was the same each time: {title_of(worst.cause)}."
    return f"What cost most: {title_of(worst.cause)} ({share}{cost})."


def _foreseen(totals: Mapping[str, Any], losses: Sequence[Loss]) -> str:
    """What drops cost that were no surprise: the sums of a session have all drops in them."""
    rest = _count(totals.get("wasted")) - sum(loss.wasted for loss in losses)
    if rest <= 0:
        return ""
    cost = totals.get("wasted_cost")
    known = sum(loss.cost for loss in losses if loss.cost is not None)
    price = f" for {money(cost - known)}" if isinstance(cost, float | int) and cost > known else ""
    return f" Drops that were to be expected sent {tokens(rest)} tokens again{price}."


def _saved(totals: Mapping[str, Any]) -> str:
    rate = totals.get("hit_rate")
    told = f": {percent(rate)} of all prompt tokens were read from it" if isinstance(rate, float | int) else ""
    cost, without = totals.get("cost"), totals.get("cost_without")
    if isinstance(cost, float | int) and isinstance(without, float | int) and without > cost:
        return f"{told}, which saved {money(without - cost)}"
    return told


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
