"""The parts of a chain: segments of one answer each, and boundaries that keep rows from before them."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from sessions.linking.engine.rows import LinkRow


def is_boundary(row: LinkRow) -> bool:
    return row.detail == "compact_boundary" and row.type == "system"


class Segment(Struct, frozen=True, gc=False):
    """One answer and everything up to the next: results, prompts and attachments, as positions."""

    message: int | None
    """The key of the answer's id; None before the first answer."""
    answer: list[int]
    results: list[int]
    """In file order, in which they are sent whatever their parents are."""
    rest: list[int]
    links: list[int]
    """The uuids of the rows on the chain itself."""

    @property
    def positions(self) -> tuple[int, ...]:
        return (*self.answer, *self.results, *self.rest)


@dataclass(frozen=True, slots=True)
class Boundary:
    position: int
    anchor: int
    kept_uuids: tuple[int, ...]
