"""Whether the prompt cache still holds what a session sent last, which decides the price of a fork."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.models import Request, Transcript
from sessions.text.engine.words import duration

MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class CacheWarmth:
    is_warm: bool
    sentence: str


UNKNOWN_WARMTH = CacheWarmth(False, "When the session last asked is not recorded, so what is cached of it is unknown.")


def cache_warmth(transcript: Transcript, now_ms: int, *, agent: str | None = "") -> CacheWarmth:
    """Each request that reads the cache starts the lifetime again. Two queries. `agent`: None for any."""
    requests = Request.objects.filter(transcript=transcript, at__isnull=False).order_by("-position")
    requests = requests if agent is None else requests.filter(agent=agent)
    last = requests.first()
    if last is None or last.at is None:
        return UNKNOWN_WARMTH
    writer = requests.exclude(cache_write_5m=0, cache_write_1h=0).first()
    minutes = 60 if writer is not None and writer.cache_write_1h else 5
    age, lifetime = max(0, now_ms - last.at), "an hour" if minutes == 60 else "five minutes"
    if writer is None:
        return CacheWarmth(False, "The session never wrote to the cache.")
    if age > minutes * MINUTE:
        sentence = f"The session last asked {duration(age)} ago, and what it wrote lived {lifetime}: nothing is cached."
        return CacheWarmth(False, sentence)
    left = duration(minutes * MINUTE - age)
    return CacheWarmth(True, f"The session asked {duration(age)} ago: what it sent is cached for another {left}.")
