"""A conversation while it is being repaired, and what was done to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sessions.lint.engine.reading import (
    Row,
    Section,
    Spot,
    rows_of,
    sections_of,
)


@dataclass(frozen=True, slots=True)
class Repair:
    path: str
    """Where in the array as it was given."""
    what: str
    why: str
    """Sentences for people."""


@dataclass(slots=True)
class Draft:
    rows: list[Row]
    recorded: bool
    """Rows are records, which are joined to an array later, and not the elements of one."""
    given: dict[int, list[Spot]] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)

    @property
    def sections(self) -> list[Section]:
        return sections_of(self.rows)

    def drop(self, keep: Callable[[Row, Spot], bool], why: str) -> None:
        """Leaves out the blocks that are not to be kept."""
        for row in self.rows:
            kept = [spot for spot in row.spots if keep(row, spot)]
            if len(kept) != len(row.spots):
                for spot in row.spots:
                    if not any(spot is one for one in kept):
                        self.say(spot.path, f"Left out a block of the type {spot.type}.", why)
                row.spots = kept

    def drop_spots(self, spots: Iterable[Spot], why: str) -> None:
        gone = {id(spot) for spot in spots}
        if gone:
            self.drop(lambda row, spot: id(spot) not in gone, why)

    def take(self, spots: Iterable[Spot]) -> None:
        """Takes blocks out, because they go elsewhere."""
        gone = {id(spot) for spot in spots}
        for row in self.rows if gone else ():
            if any(id(spot) in gone for spot in row.spots):
                row.spots = [spot for spot in row.spots if id(spot) not in gone]

    def insert_after(self, row: Row, spots: list[Spot]) -> None:
        self.rows.insert(self.rows.index(row) + 1, Row("user", spots, -1))

    def say(self, path: str, what: str, why: str) -> None:
        self.repairs.append(Repair(path, what, why))

    def is_untouched(self, row: Row) -> bool:
        given = self.given.get(row.index)
        return given is not None and len(given) == len(row.spots) and all(map(_is, given, row.spots))


def draft_of(messages: Iterable[Any], *, recorded: bool) -> Draft:
    messages = list(messages)
    rows = list(rows_of(messages))
    draft = Draft(rows, recorded)
    read = {row.index: row for row in rows}
    for index, message in enumerate(messages):
        row = read.get(index)
        if row is None:
            draft.say(f"messages[{index}]", "Left out a message.", "It has no role or no content that the API knows.")
            continue
        content = (message.content if recorded else message.get("content")) or ()
        if isinstance(content, str) or len(content) == len(row.spots):
            draft.given[index] = row.spots.copy()
        else:
            draft.say(f"messages[{index}].content", "Left out a block.", "It is no object with a type.")
    return draft


def _is(one: Spot, other: Spot) -> bool:
    return one is other
