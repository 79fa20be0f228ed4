"""The parts of a request as a page shows them: a line each, and what is unfolded, masked and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.presentation.messages import MessageArray, setup_piece
from sessions.context.engine.presentation.pieces import PieceView, block_text
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import text
from sessions.requests.engine.part import Part
from sessions.requests.engine.rows import Fold
from sessions.secrets.engine.structure import hide_named
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.value_text import format_value

_LINE = 140
_VALUE = 2_000
_PARAMS = 60


@dataclass(frozen=True, slots=True)
class ShownPart:
    part: Part
    preview: str
    pieces: tuple[PieceView, ...] | None = None
    """What it holds, where it is unfolded."""


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    values: tuple[str, ...]


class Unfolding:
    """Shows the parts of one request."""

    def __init__(
        self,
        given: RequestSetup,
        elements: Sequence[Element],
        array: MessageArray,
        mask: Mask,
        *,
        opened: str = "",
        origin: str = "",
    ) -> None:
        """`array`: of the same messages; `opened`: the place of a part, or of a block of it, that is unfolded."""
        self._given = given
        self._elements = elements
        self._array = array
        self._mask = mask
        self._origin = origin
        section = opened.partition(".")[0]
        self._opened = opened if section in ("tools", "system") else section

    def rows(self, items: Sequence[Part | Fold], section: str) -> list[ShownPart | Fold]:
        return [self.part(one, section) if isinstance(one, Part) else one for one in items]

    def part(self, part: Part, section: str, *, whole: bool | None = None) -> ShownPart:
        """`whole`: unfolded or not, whatever the address says."""
        unfolds = part.place == self._opened if whole is None else whole
        return ShownPart(part, self._preview(part, section), self._pieces(part, section) if unfolds else None)

    def _pieces(self, part: Part, section: str) -> tuple[PieceView, ...]:
        if section == "messages":
            return self._array.whole(part.number - 1).pieces
        block = self._block(section, part.number - 1)
        lens = Lens(self._mask, whole=True)
        return (setup_piece(section, part.number - 1, block, lens, self._origin),)

    def _block(self, section: str, number: int) -> Mapping[str, Any]:
        blocks = self._given.tools if section == "tools" else self._given.system
        assert blocks is not None
        return blocks[number]

    def _preview(self, part: Part, section: str) -> str:
        lens = Lens(self._mask)
        if section == "messages":
            return lens.line(_said(self._elements[part.number - 1]), _LINE)
        block = self._block(section, part.number - 1)
        return lens.line(text(block.get("description" if section == "tools" else "text")), _LINE)


def _said(element: Element) -> str:
    """The calls by name; else its first words."""
    blocks = [piece.block for piece in element.pieces]
    calls = Counter(text(block.get("name")) for block in blocks if text(block.get("type")).endswith("tool_use"))
    words = next((block_text(block) for block in blocks if block.get("type") in ("text", "tool_result")), "")
    named = ", ".join(f"{name} × {count}" if count > 1 else name for name, count in calls.items())
    return f"{named} · {words}" if named and words else named or words or (block_text(blocks[0]) if blocks else "")


def params_of(given: RequestSetup, mask: Mask) -> list[Param]:
    """What else was sent, one line each. Lists of words, such as betas, are several values."""
    lens = Lens(mask)
    found = []
    for name, value in hide_named(dict(list(given.params.items())[:_PARAMS])).items():
        plain = isinstance(value, list) and all(isinstance(one, str) for one in value)
        values = value[:_PARAMS] if plain else [format_value(value, _VALUE)]
        found.append(Param(lens.line(str(name), 60), tuple(lens.line(str(one), 400) for one in values)))
    return found
