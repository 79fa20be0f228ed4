"""The one table that `make faults` prints: what was tried, what hit, what was lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Tell = Callable[[str], object]
HEADER = ("fault", "during", "on", "tried", "hit", "lost", "")


@dataclass(slots=True)
class Row:
    fault: str
    during: str
    on: str
    note: str = ""
    tried: int = 0
    hit: int = 0
    """Attempts that the fault ended: with a sentence, or with a kill. The others went on all the same."""
    lost: list[str] = field(default_factory=list)
    """A sentence for each thing that was lost, wrong, or not told."""

    def add(self, *, told: bool, lost: Sequence[str], tell: Tell) -> None:
        self.tried += 1
        self.hit += told
        self.lost += lost
        for sentence in lost:
            tell(f"LOST  {sentence}")


def table(rows: Sequence[Row]) -> str:
    cells = [HEADER, *(_cells(row) for row in rows), _cells(_total(rows))]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    output = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    return "\n".join([output[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *output[1:]])


def _cells(row: Row) -> tuple[str, ...]:
    return row.fault, row.during, row.on, str(row.tried), str(row.hit), str(len(row.lost)), row.note


def _total(rows: Sequence[Row]) -> Row:
    total = Row("in all", "", "", "", sum(row.tried for row in rows), sum(row.hit for row in rows))
    total.lost = [sentence for row in rows for sentence in row.lost]
    return total
