"""Pages of a list, and the numbers in its pager."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    number: int
    size: int
    total: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.size))

    @property
    def start(self) -> int:
        return (self.number - 1) * self.size

    @property
    def stop(self) -> int:
        return min(self.start + self.size, self.total)

    @property
    def first(self) -> int:
        """The number of the first item, counted from 1."""
        return self.start + 1 if self.total else 0

    @property
    def previous(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None

    @property
    def numbers(self) -> list[int | None]:
        """The first, the last and the neighbours; None stands for a gap."""
        near = {1, self.pages, *range(self.number - 2, self.number + 3)}
        offered: list[int | None] = []
        last = 0
        for number in sorted(n for n in near if 1 <= n <= self.pages):
            if number - last == 2:
                offered.append(number - 1)
            elif number - last > 2:
                offered.append(None)
            offered.append(number)
            last = number
        return offered


def page_of(number: int, *, size: int, total: int) -> Page:
    """The requested page, or the nearest that exists."""
    pages = max(1, -(-total // size))
    return Page(number=min(max(1, number), pages), size=size, total=total)
