"""How long a cache entry lives: five minutes, or an hour where that pays off.

The decision is made once and kept for the session, because a mark that changes midway costs the whole prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from sessions.requests.engine.prompt_cache.query_sources import AGENT, COMPACT, MAIN, SDK

ALLOWLIST = (f"{MAIN}*", SDK, f"{AGENT}*")
"""Query sources that live long enough to read what they wrote."""


class Ttl(StrEnum):
    FIVE_MINUTES = "5m"
    ONE_HOUR = "1h"


@dataclass(frozen=True, slots=True)
class Account:
    employee: bool = False
    subscriber: bool = False
    overage: bool = False
    """The subscription's quota is used up, and tokens cost extra."""
    bedrock_opt_in: bool = False

    @property
    def is_eligible(self) -> bool:
        return self.employee or (self.subscriber and not self.overage)


@dataclass(frozen=True, slots=True)
class TtlLatch:
    eligible: bool
    bedrock: bool
    allowlist: tuple[str, ...]

    def ttl(self, source: str) -> Ttl:
        if self.bedrock:
            return Ttl.ONE_HOUR
        return Ttl.ONE_HOUR if self.eligible and self.entry_of(source) else Ttl.FIVE_MINUTES

    def entry_of(self, source: str) -> str:
        """The entry of the list that names this source; empty if none does."""
        # A compaction reads what the main thread has cached, so it gets the same mark.
        tracked = MAIN if source == COMPACT else source
        return next((entry for entry in self.allowlist if fnmatchcase(tracked, entry)), "")


def latch_ttl(latch: TtlLatch | None, account: Account, allowlist: tuple[str, ...] = ALLOWLIST) -> TtlLatch:
    """The decision for the session: the first one stands, even if the account changes."""
    return latch if latch is not None else TtlLatch(account.is_eligible, account.bedrock_opt_in, allowlist)


def cache_control(ttl: Ttl, *, everybody: bool = False) -> dict[str, Any]:
    mark: dict[str, Any] = {"type": "ephemeral"}
    if ttl is Ttl.ONE_HOUR:
        mark["ttl"] = "1h"
    if everybody:
        mark["scope"] = "global"
    return mark
