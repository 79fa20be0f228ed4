"""What an attack came to: how much was tried, and what got through. A single success is one too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_SHOWN = 20


@dataclass
class Area:
    name: str
    tried: int = 0
    let_in: list[str] = field(default_factory=list)
    skipped: str = ""
    """Why nothing was tried; empty if something was."""

    def expect(self, held: bool, attempt: object) -> None:
        """Counts one attempt. `held`: whether the product held against it."""
        self.tried += 1
        if not held:
            self.let_in.append(str(attempt)[:600])


def table(areas: Sequence[Area]) -> str:
    """One row for each area, and what got through below it."""
    rows = [("area", "tried", "let in / lost"), *((area.name, f"{area.tried:,}", _result(area)) for area in areas)]
    rows.append(("all", f"{sum(area.tried for area in areas):,}", str(sum(len(area.let_in) for area in areas))))
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{area:<{first}}  {tried:>{second}}  {result}" for area, tried, result in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    lines.insert(-1, lines[1])
    for area in areas:
        lines += [f"{area.name}: {attempt}" for attempt in area.let_in[:MOST_SHOWN]]
        if len(area.let_in) > MOST_SHOWN:
            lines.append(f"{area.name}: and {len(area.let_in) - MOST_SHOWN} more")
    return "\n".join(lines)


def _result(area: Area) -> str:
    return f"skipped: {area.skipped}" if area.skipped else str(len(area.let_in))
