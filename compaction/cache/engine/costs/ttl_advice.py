"""Would another lifetime of the cache have been cheaper in this session?

Writing a token for an hour costs twice the price of input, for five minutes 1.25 times. An hour pays off if there were
enough pauses between five minutes and an hour: after them the session would have read what it had to write again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.requests.calls import LIMITS, Call, Limits, gap_of
from sessions.requests.engine.prompt_cache.ttl import Ttl
from sessions.text.engine.words import money, plural
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

_TTL_CAUSES = (CauseName.TTL_5M, CauseName.TTL_1H)


@dataclass(frozen=True, slots=True)
class TtlAdvice:
    used: str
    """5m, 1h, mixed, or empty if nothing was written."""
    pauses: int
    """Between five minutes and an hour."""
    cost_5m: float | None
    cost_1h: float | None
    better: str
    saves: float | None
    """Dollars, against what was used."""
    sentence: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def advise_ttl(calls: Iterable[Call], causes: Mapping[str, str], limits: Limits = LIMITS) -> TtlAdvice:
    """`causes`: the id of the answer of each request whose cache broke -> the cause."""
    latest: dict[str, Call] = {}
    own: list[tuple[Call, Call | None, bool]] = []
    for call in calls:
        if not call.prompt:
            continue
        previous = latest.get(call.source)
        latest[call.source] = call
        if not call.copied:
            own.append((call, previous, _follows_pause(previous, call, causes, limits)))
    used = _used_ttl([call for call, _, _ in own])
    pause_count = sum(follows_pause for _, _, follows_pause in own)
    cost_5m = _sum_costs(_usage_5m(call, follows_pause) for call, _, follows_pause in own)
    cost_1h = _sum_costs(_usage_1h(call, previous, follows_pause) for call, previous, follows_pause in own)
    if not used or cost_5m is None or cost_1h is None:
        reason = (
            "Nothing was written to the cache." if not used else "No price is known for the models of this session."
        )
        return TtlAdvice(used, pause_count, cost_5m, cost_1h, used, None, reason)
    paid = _sum_costs((call.model, call.usage) for call, _, _ in own) or 0.0
    # The lifetime that was used costs what was paid, because a cache may be lost for other reasons.
    cost_5m = paid if used == Ttl.FIVE_MINUTES else cost_5m
    cost_1h = paid if used == Ttl.ONE_HOUR else cost_1h
    # Of two lifetimes in one session, both may be cheaper together than either alone.
    cheapest, better = min((paid, used), (cost_5m, Ttl.FIVE_MINUTES.value), (cost_1h, Ttl.ONE_HOUR.value))
    saves = 0.0 if better == used else paid - cheapest
    sentence = _sentence(used, pause_count, paid, cost_5m, cost_1h, better)
    return TtlAdvice(used, pause_count, cost_5m, cost_1h, better, saves, sentence)


def _follows_pause(previous: Call | None, call: Call, causes: Mapping[str, str], limits: Limits) -> bool:
    """Whether the lifetime decided what this request read: before it came a pause between the two lifetimes, and
    nothing else broke the cache."""
    gap = None if previous is None else gap_of(previous, call)
    cause = causes.get(call.message_id)
    if (
        gap is None
        or previous is None
        or previous.model != call.model
        or (cause is not None and cause not in _TTL_CAUSES)
    ):
        return False
    return limits.five_minutes < gap <= limits.one_hour


def _usage_5m(call: Call, follows_pause: bool) -> tuple[str, Usage]:
    """As it would have been billed with five minutes: after a pause, everything is written again."""
    usage = call.usage
    rewritten = usage.cache_read if follows_pause and usage.cache_write_1h else 0
    return call.model, Usage(usage.input, usage.cache_read - rewritten, call.written + rewritten, 0, usage.output)


def _usage_1h(call: Call, previous: Call | None, follows_pause: bool) -> tuple[str, Usage]:
    """As it would have been billed with an hour: after a pause, it reads what the previous request had in the cache."""
    usage = call.usage
    spared = 0
    if follows_pause and previous is not None:
        spared = max(0, min(min(previous.cached, call.prompt) - call.read, call.written))
    return call.model, Usage(usage.input, usage.cache_read + spared, 0, call.written - spared, usage.output)


def _used_ttl(calls: Iterable[Call]) -> str:
    written_5m = written_1h = 0
    for call in calls:
        written_5m, written_1h = written_5m + call.usage.cache_write_5m, written_1h + call.usage.cache_write_1h
    if written_5m and written_1h:
        return "mixed"
    return Ttl.FIVE_MINUTES if written_5m else Ttl.ONE_HOUR if written_1h else ""


def _sum_costs(requests: Iterable[tuple[str, Usage]]) -> float | None:
    costs = [cost for model, usage in requests if (cost := cost_of(model, usage)) is not None]
    return sum(costs) if costs else None


def _sentence(used: str, pauses: int, paid: float, cost_5m: float, cost_1h: float, better: str) -> str:
    lifetimes = {"5m": "five minutes", "1h": "one hour", "mixed": "partly five minutes, partly one hour"}
    sentence = (
        f"The cache of this session lived {lifetimes[used]}, and {plural(pauses, 'pause')} took between five minutes"
        f" and an hour. Its requests cost {money(paid)}. All at five minutes they would have cost {money(cost_5m)}, all"
        f" at one hour {money(cost_1h)}"
    )
    if used == better:
        return f"{sentence}: what was used is the cheapest."
    return f"{sentence}: {lifetimes[better]} would have been cheaper."
