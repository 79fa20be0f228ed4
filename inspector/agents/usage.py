"""The token counts of an answer, summed over its iterations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """`input` counts only what follows the last cache mark; `context` is the whole prompt."""

    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0

    @property
    def context(self) -> int:
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def total(self) -> int:
        return self.context + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Usage)))

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Usage:
        """Reads a `usage` object without its iterations."""
        written = _count(raw.get("cache_creation_input_tokens"))
        split = raw.get("cache_creation")
        hour = _count(split.get("ephemeral_1h_input_tokens")) if isinstance(split, Mapping) else 0
        minutes = _count(split.get("ephemeral_5m_input_tokens")) if isinstance(split, Mapping) else 0
        return cls(
            input=_count(raw.get("input_tokens")),
            cache_read=_count(raw.get("cache_read_input_tokens")),
            cache_write_5m=max(minutes, written - hour),
            cache_write_1h=hour,
            output=_count(raw.get("output_tokens")),
        )

    @classmethod
    def sum(cls, parts: Iterable[Usage]) -> Usage:
        return sum(parts, cls())


def iterations_of(raw: Mapping[str, Any]) -> tuple[Usage, ...]:
    """One for each sampling. A compaction by the API appears only here."""
    iterations = raw.get("iterations")
    if not isinstance(iterations, list):
        return ()
    return tuple(Usage.of(iteration) for iteration in iterations if isinstance(iteration, Mapping))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
