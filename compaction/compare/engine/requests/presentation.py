"""The differences of two requests for a page: masked, cut, and word by word where a text changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.compare.engine.changed_words import DiffAllowance, Stretch, elide, word_diff
from compaction.compare.engine.requests.differences import DifferenceRow, RequestPart
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards.lens import Lens, Limit, Mask

_TEXT, _WHOLE = 40_000, 200_000
"""Characters of each side that are compared word by word, at once and on demand."""
_AROUND, _LONGEST = 160, 700
_ALONE = Limit(700, 12)
_ROWS = 60
"""Changes of one part that are shown."""


@dataclass(frozen=True, slots=True)
class DifferenceView:
    place: str
    """`tools.3`: what an address calls it."""
    row: DifferenceRow
    name: str
    diff: tuple[Stretch, ...]
    cut: bool

    @property
    def one_sided(self) -> bool:
        return self.row.status in ("added", "removed")


@dataclass(frozen=True, slots=True)
class PartView:
    part: RequestPart
    title: str
    changes: tuple[DifferenceView, ...]
    same: int
    more: int


_TITLES = {
    "params": "Model and parameters",
    "marks": "Cache marks",
    "tools": "Tools",
    "system": "System prompt",
    "messages": "Messages",
}


def view_parts(parts: Sequence[RequestPart], mask: Mask, opened: str = "") -> list[PartView]:
    """`opened`: the place of a change to show in full."""
    room = DiffAllowance()
    return [_part(part, mask, opened, room) for part in parts]


def _part(part: RequestPart, mask: Mask, opened: str, room: DiffAllowance) -> PartView:
    changed = [(index, row) for index, row in enumerate(part.rows) if row.status != "same"]
    views = tuple(_row(f"{part.name}.{index}", row, mask, opened, room) for index, row in changed[:_ROWS])
    return PartView(part, _TITLES[part.name], views, len(part.rows) - len(changed), max(0, len(changed) - _ROWS))


def _row(place: str, row: DifferenceRow, mask: Mask, opened: str, room: DiffAllowance) -> DifferenceView:
    whole = opened == place
    name = Lens(mask).line(row.name, 80)
    if row.status in ("added", "removed"):
        lens = Lens(mask, whole=whole)
        kind = row.status
        words = lens.block(row.after or row.before, _ALONE)
        return DifferenceView(place, row, name, (Stretch(kind, words),), lens.tally.cut)
    most = _WHOLE if whole else _TEXT
    before, after = (spell_invisible(mask(text[: most + 4_096])[:most]) for text in (row.before, row.after))
    stretches = word_diff(before, after, DiffAllowance() if whole else room)
    if not whole:
        stretches = elide(stretches, _AROUND, _LONGEST)
    cut = any(stretch.elided for stretch in stretches) or max(len(row.before), len(row.after)) > most
    return DifferenceView(place, row, name, stretches, cut)
