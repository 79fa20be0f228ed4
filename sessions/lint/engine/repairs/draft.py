"""A conversation during its repair, and what was done to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sessions.lint.engine.request_reader import BlockSpot, MessageRow, RoleSection, join_sections, read_rows


@dataclass(frozen=True, slots=True)
class Repair:
    path: str
    """Where it was in the original array."""
    what: str
    why: str
    """Sentences for people."""


@dataclass(slots=True)
class Draft:
    rows: list[MessageRow]
    is_records: bool
    """The rows are records, which are joined to an array later, and not the elements of one."""
    original_spots: dict[int, list[BlockSpot]] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)

    @property
    def sections(self) -> list[RoleSection]:
        return join_sections(self.rows)

    def drop(self, keep: Callable[[MessageRow, BlockSpot], bool], why: str) -> None:
        """Leave out the blocks for which `keep` is false."""
        for row in self.rows:
            remaining = [spot for spot in row.spots if keep(row, spot)]
            if len(remaining) != len(row.spots):
                for spot in row.spots:
                    if not any(spot is other for other in remaining):
                        self.note(spot.path, f"Left out a block of the type {spot.type}.", why)
                row.spots = remaining

    def drop_spots(self, spots: Iterable[BlockSpot], why: str) -> None:
        dropped = {id(spot) for spot in spots}
        if dropped:
            self.drop(lambda row, spot: id(spot) not in dropped, why)

    def remove(self, spots: Iterable[BlockSpot]) -> None:
        """Remove blocks that are put elsewhere."""
        removed = {id(spot) for spot in spots}
        for row in self.rows if removed else ():
            if any(id(spot) in removed for spot in row.spots):
                row.spots = [spot for spot in row.spots if id(spot) not in removed]

    def insert_after(self, row: MessageRow, spots: list[BlockSpot]) -> None:
        self.rows.insert(self.rows.index(row) + 1, MessageRow("user", spots, -1))

    def note(self, path: str, what: str, why: str) -> None:
        self.repairs.append(Repair(path, what, why))

    def is_untouched(self, row: MessageRow) -> bool:
        original = self.original_spots.get(row.index)
        return original is not None and len(original) == len(row.spots) and all(map(_is, original, row.spots))


def start_draft(messages: Iterable[Any], *, recorded: bool) -> Draft:
    messages = list(messages)
    rows = list(read_rows(messages))
    draft = Draft(rows, recorded)
    read = {row.index: row for row in rows}
    for index, message in enumerate(messages):
        row = read.get(index)
        if row is None:
            draft.note(f"messages[{index}]", "Left out a message.", "It has no role or no content that the API knows.")
            continue
        content = (message.content if recorded else message.get("content")) or ()
        if isinstance(content, str) or len(content) == len(row.spots):
            draft.original_spots[index] = row.spots.copy()
        else:
            draft.note(f"messages[{index}].content", "Left out a block.", "It is no object with a type.")
    return draft


def _is(spot: BlockSpot, other: BlockSpot) -> bool:
    return spot is other
