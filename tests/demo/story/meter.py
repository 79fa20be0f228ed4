"""How many tokens each request read, wrote and made: a small model of a prompt cache that lives five minutes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

TTL = timedelta(minutes=5)
IMAGE = 1500
_FRESH = 3


def tokens(text: str) -> int:
    """Prose and code make about 3.3 characters a token, tables of numbers 2.1."""
    if not text:
        return 0
    digits = sum(char.isdigit() for char in text)
    return math.ceil(len(text) / (2.1 if digits * 4 > len(text) else 3.3)) + 3


@dataclass(frozen=True, slots=True)
class Usage:
    model: str
    input: int = 0
    write: int = 0
    read: int = 0
    output: int = 0
    thinking: int = 0
    searches: int = 0

    @property
    def context(self) -> int:
        return self.input + self.write + self.read + self.output


@dataclass(slots=True)
class _Warm:
    tokens: int
    at: datetime


class Meter:
    """The size of the conversation as the next request would send it, and what of it is still cached."""

    def __init__(self, overhead: int) -> None:
        self.overhead = overhead
        self.size = overhead
        self.thinking = 0
        self._warm: dict[str, _Warm] = {}

    def add(self, count: int) -> None:
        self.size += count

    def request(self, model: str, now: datetime, output: int, thinking: int = 0, searches: int = 0) -> Usage:
        warm = self._warm.get(model)
        alive = warm.tokens if warm and now - warm.at <= TTL else 0
        read = min(alive, self.size - _FRESH)
        write = self.size - read - _FRESH
        self._warm[model] = _Warm(read + write, now)
        self.size += output
        self.thinking += thinking
        return Usage(model, _FRESH, write, read, output, thinking, searches)

    def cut(self, to: int) -> None:
        """The conversation was rewritten from `to` on: what stood before is still cached, the rest is not."""
        for warm in self._warm.values():
            warm.tokens = min(warm.tokens, to)

    def forget_thinking(self) -> None:
        """Another model does not get the thinking of the one before."""
        self.size -= self.thinking
        self.thinking = 0

    def restart(self, size: int) -> None:
        """After a compaction: only system and tools are as they were."""
        self.size = self.overhead + size
        self.thinking = 0
        self.cut(self.overhead)
