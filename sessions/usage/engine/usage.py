"""The tokens of one API request, as the response counted them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import add

from msgspec import Struct
from msgspec.structs import astuple

MOST = 10**12
"""No request has more tokens. A larger number is damage, and would not fit into a database column."""


class Usage(Struct, frozen=True, gc=False):
    """`input` is only what follows the last cache mark: the prompt is `context`."""

    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0

    @classmethod
    def from_raw(cls, raw: object) -> Usage | None:
        """Reads `message.usage`, whatever its form; None if it counts nothing."""
        if not isinstance(raw, dict):
            return None
        get = raw.get
        input, output = get("input_tokens"), get("output_tokens")
        written, read = get("cache_creation_input_tokens"), get("cache_read_input_tokens")
        if input is None and output is None and written is None and read is None and raw.keys().isdisjoint(_COUNTS):
            return None
        five_minutes = one_hour = 0
        split = get("cache_creation")
        if isinstance(split, dict):
            five_minutes = _count(split.get("ephemeral_5m_input_tokens"))
            one_hour = _count(split.get("ephemeral_1h_input_tokens"))
        return cls.from_counts(_count(input), _count(read), _count(written), (five_minutes, one_hour), _count(output))

    @classmethod
    def from_counts(cls, input: int, cache_read: int, written: int, split: tuple[int, int], output: int) -> Usage:
        """`written` is the sum. Older versions did not split it by lifetime: then all of it counts as five minutes."""
        five_minutes, one_hour = split
        return cls(input, cache_read, max(five_minutes, written - one_hour), one_hour, output)

    @property
    def context(self) -> int:
        """The size of the prompt."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def total(self) -> int:
        return self.context + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))

    @classmethod
    def sum(cls, parts: Iterable[Usage]) -> Usage:
        return sum(parts, cls())

    def merge(self, other: Usage) -> Usage:
        """Of two rows of one message: counts only grow while it streams, so the larger one is the later one."""
        return Usage(*map(max, astuple(self), astuple(other)))


_COUNTS = frozenset({"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"})


def _count(value: object) -> int:
    if type(value) is int:
        return value if 0 <= value <= MOST else 0
    if value is None:
        return 0
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and 0 <= value <= MOST else 0
    if isinstance(value, str) and len(value) <= len(str(MOST)) and value.isascii() and value.isdecimal():
        return _count(int(value))
    return 0
