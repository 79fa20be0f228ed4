"""What the demo should count up to, kept while it is written and never read back from the files."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from tests.demo.story.meter import Usage

PRICES = {
    "claude-opus-5-5": (4.0, 20.0, 5.0, 0.2),
    "claude-sonnet-5-5": (2.0, 10.0, 2.5, 0.1),
    "claude-haiku-5-5": (0.1, 0.5, 0.125, 0.01),
}
"""Dollars per million tokens: fresh input, output, cache write (five minutes), cache read."""


def price(usage: Usage) -> float | None:
    if usage.model not in PRICES:
        return None
    fresh, made, wrote, read = PRICES[usage.model]
    total = usage.input * fresh + usage.output * made + usage.write * wrote + usage.read * read
    return total / 1_000_000


@dataclass(slots=True)
class Totals:
    requests: int = 0
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    def count(self, usage: Usage) -> None:
        self.requests += 1
        self.input += usage.input
        self.output += usage.output
        self.cache_write += usage.write
        self.cache_read += usage.read


class Spending:
    """What the client adds up for its `cost-state`: also the calls that leave no row, such as a compaction's."""

    def __init__(self) -> None:
        self.models: dict[str, Totals] = {}
        self.dollars: dict[str, float] = {}
        self.api_ms = 0

    @property
    def tokens(self) -> int:
        return sum(total.input + total.cache_write + total.cache_read + total.output for total in self.models.values())

    def add(self, usage: Usage) -> None:
        self.models.setdefault(usage.model, Totals()).count(usage)
        self.dollars[usage.model] = self.dollars.get(usage.model, 0.0) + (price(usage) or 0.0)
        self.api_ms += round(900 + usage.output * 11)


@dataclass(slots=True)
class Ledger:
    """The numbers of one file."""

    records: int = 0
    lines: int = 0
    bytes: int = 0
    problems: int = 0
    """Lines that a strict reader cannot take as one object, or whose text is not Unicode."""
    types: dict[str, int] = field(default_factory=dict)
    prompts: int = 0
    """Words of a person: typed, pasted or queued. What a sub-agent is told is not among them."""
    compactions: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    api_errors: int = 0
    peak_context: int = 0
    own: Totals = field(default_factory=Totals)
    """API requests that were made in this file."""
    copied: Totals = field(default_factory=Totals)
    """API requests whose rows were copied from the file that was forked."""
    models: dict[str, Totals] = field(default_factory=dict)

    def count(self, usage: Usage) -> None:
        self.own.count(usage)
        self.models.setdefault(usage.model, Totals()).count(usage)
        self.peak_context = max(self.peak_context, usage.context)

    def type(self, name: str) -> None:
        self.records += 1
        self.types[name] = self.types.get(name, 0) + 1

    def facts(self) -> dict[str, Any]:
        facts = asdict(self)
        facts["types"] = dict(sorted(self.types.items()))
        return facts
