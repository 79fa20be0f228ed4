"""The one table of a run: a row for each thing that was tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.load.clients import Answers
from benchmarks.load.rude import Outcome
from benchmarks.load.web import Held

HEADINGS = (
    "what was tried",
    "requests",
    "errors",
    "req/s",
    "of the limit",
    "p50 s",
    "p95 s",
    "max s",
    "MB before",
    "peak",
    "after",
    "fds before",
    "peak",
    "after",
)


@dataclass(frozen=True, slots=True)
class Line:
    what: str
    answers: Answers
    """By clients that mean well."""
    held: tuple[Held, Held, Held] | None = None
    """Before, at most, and after."""
    limit: float | None = None
    """Requests a second that the same clients got from a page that costs nothing."""
    outcome: Outcome | None = None

    def cells(self) -> tuple[str, ...]:
        answers = self.answers
        share = "" if not self.limit else f"{answers.rate / self.limit:.0%}" if answers.rate else "0%"
        times = [f"{answers.at(share):.2f}" for share in (0.5, 0.95, 1.0)]
        memory = [f"{held.megabytes:.0f}" for held in self.held] if self.held else ["", "", ""]
        files = [str(held.descriptors) for held in self.held] if self.held else ["", "", ""]
        counts = (f"{answers.requests:,}", str(answers.errors.total()), f"{answers.rate:.1f}")
        return (self._title(), *counts, share, *times, *memory, *files)

    def _title(self) -> str:
        if self.outcome is None:
            return self.what
        ends = ", ".join(f"{count} {how}" for how, count in self.outcome.answers.most_common())
        return f"{self.what}: {ends}"


def load_table(lines: Sequence[Line]) -> str:
    rows = [HEADINGS, *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
