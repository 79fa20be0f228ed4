"""Would another lifetime of the cache have been cheaper in this session?

An hour costs twice the price of input for every token that is written, five minutes 1.25 times. An hour pays if enough
pauses were longer than five minutes and shorter than it: what they made the session write again would have been read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from compaction.cache.engine.calls import (
    LIMITS,
    Call,
    Limits,
    gap_of,
)
from compaction.cache.engine.names import Name
from compaction.mechanisms.engine.prompt_cache.ttl import Ttl
from sessions.text.engine.words import money, plural
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

_TTL = (Name.TTL_5M, Name.TTL_1H)


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


def ttl_advice(calls: Iterable[Call], causes: Mapping[str, str], limits: Limits = LIMITS) -> TtlAdvice:
    """`causes`: the id of the answer of each request whose cache broke -> the cause."""
    latest: dict[str, Call] = {}
    own: list[tuple[Call, Call | None, bool]] = []
    for call in calls:
        if not call.prompt:
            continue
        previous = latest.get(call.source)
        latest[call.source] = call
        if not call.copied:
            own.append((call, previous, _paused(previous, call, causes, limits)))
    used = _used([call for call, _, _ in own])
    pauses = sum(paused for _, _, paused in own)
    five = _sum(_five_minutes(call, paused) for call, _, paused in own)
    hour = _sum(_one_hour(call, previous, paused) for call, previous, paused in own)
    if not used or five is None or hour is None:
        why = "Nothing was written to the cache." if not used else "No price is known for the models of this session."
        return TtlAdvice(used, pauses, five, hour, used, None, why)
    better = Ttl.ONE_HOUR if hour < five else Ttl.FIVE_MINUTES
    paid = _sum((call.model, call.usage) for call, _, _ in own) or 0.0
    saves = max(0.0, paid - min(five, hour))
    return TtlAdvice(used, pauses, five, hour, better, saves, _sentence(used, pauses, five, hour, better))


def _paused(previous: Call | None, call: Call, causes: Mapping[str, str], limits: Limits) -> bool:
    """Whether the lifetime decided over this request: nothing but a pause of a middle length came before it."""
    gap = None if previous is None else gap_of(previous, call)
    cause = causes.get(call.message_id)
    if gap is None or previous is None or previous.model != call.model or (cause is not None and cause not in _TTL):
        return False
    return limits.five_minutes < gap <= limits.one_hour


def _five_minutes(call: Call, paused: bool) -> tuple[str, Usage]:
    """As it would have been billed with five minutes: after a pause, all is written again."""
    one = call.usage
    again = one.cache_read if paused and one.cache_write_1h else 0
    return call.model, Usage(one.input, one.cache_read - again, call.written + again, 0, one.output)


def _one_hour(call: Call, previous: Call | None, paused: bool) -> tuple[str, Usage]:
    """With an hour: what the request before had in the cache is read after a pause."""
    one = call.usage
    spared = 0
    if paused and previous is not None:
        spared = max(0, min(min(previous.cached, call.prompt) - call.read, call.written))
    return call.model, Usage(one.input, one.cache_read + spared, 0, call.written - spared, one.output)


def _used(calls: Iterable[Call]) -> str:
    five = hour = 0
    for call in calls:
        five, hour = five + call.usage.cache_write_5m, hour + call.usage.cache_write_1h
    if five and hour:
        return "mixed"
    return Ttl.FIVE_MINUTES if five else Ttl.ONE_HOUR if hour else ""


def _sum(requests: Iterable[tuple[str, Usage]]) -> float | None:
    known = [cost for model, usage in requests if (cost := cost_of(model, usage)) is not None]
    return sum(known) if known else None


def _sentence(used: str, pauses: int, five: float, hour: float, better: str) -> str:
    lives = {"5m": "five minutes", "1h": "one hour", "mixed": "partly five minutes, partly one hour"}
    told = (
        f"The cache of this session lived {lives[used]}, and {plural(pauses, 'pause')} took between five minutes and an"
        f" hour. All at five minutes it would have cost {money(five)}, all at one hour {money(hour)}"
    )
    if used == better:
        return f"{told}: what was used is the cheaper one."
    return f"{told}: {lives[better]} would have been cheaper."
