"""The differences of two requests as a page shows them: masked, cut, and word by word where a text changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.compare.engine.requests.differences import Part, Row
from compaction.compare.engine.words import (
    Room,
    Stretch,
    elided,
    word_diff,
)
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards.lens import Lens, Limit, Mask

_TEXT, _WHOLE = 40_000, 200_000
"""Characters of each side that are compared word by word, at once and on demand."""
_AROUND, _LONGEST = 160, 700
_ALONE = Limit(700, 12)
_ROWS = 60
"""Changes of one part that are shown."""


@dataclass(frozen=True, slots=True)
class ShownDifference:
    place: str
    """`tools.3`: what an address calls it."""
    row: Row
    name: str
    diff: tuple[Stretch, ...]
    cut: bool

    @property
    def one_sided(self) -> bool:
        return self.row.status in ("added", "removed")


@dataclass(frozen=True, slots=True)
class ShownPart:
    part: Part
    title: str
    changes: tuple[ShownDifference, ...]
    same: int
    more: int


_TITLES = {"params": "Model and parameters", "tools": "Tools", "system": "System prompt", "messages": "Messages"}


def shown_parts(parts: Sequence[Part], mask: Mask, opened: str = "") -> list[ShownPart]:
    """`opened`: the place of a change that is wanted as a whole."""
    room = Room()
    return [_part(part, mask, opened, room) for part in parts]


def _part(part: Part, mask: Mask, opened: str, room: Room) -> ShownPart:
    changed = [(at, row) for at, row in enumerate(part.rows) if row.status != "same"]
    shown = tuple(_row(f"{part.name}.{at}", row, mask, opened, room) for at, row in changed[:_ROWS])
    return ShownPart(part, _TITLES[part.name], shown, len(part.rows) - len(changed), max(0, len(changed) - _ROWS))


def _row(place: str, row: Row, mask: Mask, opened: str, room: Room) -> ShownDifference:
    whole = opened == place
    name = Lens(mask).line(row.name, 80)
    if row.status in ("added", "removed"):
        lens = Lens(mask, whole=whole)
        kind = row.status
        words = lens.block(row.after or row.before, _ALONE)
        return ShownDifference(place, row, name, (Stretch(kind, words),), lens.tally.cut)
    most = _WHOLE if whole else _TEXT
    before, after = (spell_invisible(mask(one[: most + 4_096])[:most]) for one in (row.before, row.after))
    found = word_diff(before, after, Room() if whole else room)
    if not whole:
        found = elided(found, _AROUND, _LONGEST)
    cut = any(one.elided for one in found) or max(len(row.before), len(row.after)) > most
    return ShownDifference(place, row, name, found, cut)
