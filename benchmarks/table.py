"""One line per measurement: the value, its ratio to a floor or a peer, the target, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

HEADINGS = ("", "what", "value", "ratio", "target", "")


@dataclass(frozen=True, slots=True)
class Target:
    bound: Literal["at most", "at least"]
    limit: float
    unit: str

    def __str__(self) -> str:
        sign = "≤" if self.bound == "at most" else "≥"
        return f"{sign} {self.limit:g}{' ' if self.unit else ''}{self.unit}"

    def holds(self, value: float) -> bool:
        return value <= self.limit if self.bound == "at most" else value >= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    part: str
    what: str
    value: float
    unit: str
    ratio: float | None = None
    to: str = ""
    target: Target | None = None
    """Of the ratio where there is one, else of the value."""

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "ok" if self.target.holds(self.value if self.ratio is None else self.ratio) else "over"

    def cells(self) -> tuple[str, ...]:
        ratio = "" if self.ratio is None else f"{number(self.ratio)} × {self.to}"
        target = "" if self.target is None else str(self.target)
        return (self.part, self.what, f"{number(self.value)} {self.unit}".strip(), ratio, target, self.verdict)

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"verdict": self.verdict}


def at_most(limit: float, unit: str = "") -> Target:
    return Target("at most", limit, unit)


def at_least(limit: float, unit: str = "") -> Target:
    return Target("at least", limit, unit)


def number(value: float) -> str:
    """Counts in full; else three significant digits, never in powers of ten."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def text_table(rows: Sequence[Row]) -> str:
    cells = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = []
    for line in cells:
        padded = [
            cell.rjust(width) if column in (2, 3) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def markdown_table(rows: Sequence[Row]) -> str:
    lines = ["| | what | value | ratio | target | |", "|---|---|--:|--:|---|---|"]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows]
    return "\n".join(lines)
