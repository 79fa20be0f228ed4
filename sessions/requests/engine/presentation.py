"""The parts of a request for pages: a line for each, and the blocks of unfolded ones, masked and cut."""

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
from sessions.requests.engine.folds import Fold
from sessions.requests.engine.part import RequestPart
from sessions.secrets.engine.structure import mask_named_values
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.value_text import format_value
from sessions.weights.engine import Basis, Weight

_LINE = 140
_VALUE = 2_000
_PARAMS = 60


@dataclass(frozen=True, slots=True)
class PartView:
    part: RequestPart
    preview: str
    pieces: tuple[PieceView, ...] | None = None
    """The blocks of the part, if it is unfolded."""


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    values: tuple[str, ...]


class PartViews:
    """Makes views of the parts of one request."""

    def __init__(
        self,
        setup: RequestSetup,
        elements: Sequence[Element],
        array: MessageArray,
        mask: Mask,
        *,
        opened: str = "",
        origin: str = "",
    ) -> None:
        """`array`: the same messages; `opened`: the place of the unfolded part or block."""
        self._setup = setup
        self._elements = elements
        self._array = array
        self._mask = mask
        self._origin = origin
        section = opened.partition(".")[0]
        self._opened = opened if section in ("tools", "system") else section

    def views(self, items: Sequence[RequestPart | Fold], section: str) -> list[PartView | Fold]:
        return [self.view(item, section) if isinstance(item, RequestPart) else item for item in items]

    def view(self, part: RequestPart, section: str, *, whole: bool | None = None) -> PartView:
        """`whole`: whether to unfold it, regardless of the address."""
        unfolds = part.place == self._opened if whole is None else whole
        return PartView(part, self._preview(part, section), self._pieces(part, section) if unfolds else None)

    def _pieces(self, part: RequestPart, section: str) -> tuple[PieceView, ...]:
        if section == "messages":
            return self._array.whole(part.number - 1).pieces
        block = self._block(section, part.number - 1)
        lens = Lens(self._mask, whole=True)
        weight = part.weight or Weight(part.tokens, Basis.ESTIMATED)
        return (setup_piece(section, part.number - 1, block, lens, self._origin, weight),)

    def _block(self, section: str, number: int) -> Mapping[str, Any]:
        blocks = self._setup.tools if section == "tools" else self._setup.system
        assert blocks is not None
        return blocks[number]

    def _preview(self, part: RequestPart, section: str) -> str:
        lens = Lens(self._mask)
        if section == "messages":
            return lens.line(_preview_text(self._elements[part.number - 1]), _LINE)
        block = self._block(section, part.number - 1)
        return lens.line(text(block.get("description" if section == "tools" else "text")), _LINE)


def _preview_text(element: Element) -> str:
    """The names of the calls and the first text."""
    blocks = [piece.block for piece in element.pieces]
    calls = Counter(text(block.get("name")) for block in blocks if text(block.get("type")).endswith("tool_use"))
    words = next((block_text(block) for block in blocks if block.get("type") in ("text", "tool_result")), "")
    named = ", ".join(f"{name} × {count}" if count > 1 else name for name, count in calls.items())
    return f"{named} · {words}" if named and words else named or words or (block_text(blocks[0]) if blocks else "")


def list_params(setup: RequestSetup, mask: Mask) -> list[Param]:
    """The other parameters of a request. Lists of texts, such as betas, have several values."""
    lens = Lens(mask)
    params = []
    for name, value in mask_named_values(dict(list(setup.params.items())[:_PARAMS])).items():
        plain = isinstance(value, list) and all(isinstance(item, str) for item in value)
        values = value[:_PARAMS] if plain else [format_value(value, _VALUE)]
        params.append(Param(lens.line(str(name), 60), tuple(lens.line(str(item), 400) for item in values)))
    return params
