"""The messages of a context for pages: the first lines of each block, masked and cut, with their origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from sessions.context.engine.certainty import Exactness
from sessions.context.engine.presentation.pieces import LIMIT, PieceView, PieceViews, block_text
from sessions.context.engine.rendering.array import Piece
from sessions.context.engine.request import Context
from sessions.secrets.engine.structure import mask_named_values
from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.safe_get import as_text
from sessions.transcripts.engine.messages import Block
from sessions.transcripts.engine.messages.cuts import Cuts, Hold, find_cuts
from sessions.weights.engine.context_weights import ContextWeights
from sessions.weights.engine.rates import estimate_blocks
from sessions.weights.engine.setup_weights import setup_weights
from sessions.weights.engine.weight import Weight, combine

WINDOW = 56
"""Messages shown at once, besides the first few."""
HEAD = 4
BLOCKS = 100
"""Blocks of a window, however many messages they belong to."""
PIECES = 16
"""Blocks of one message shown at once."""
ROOM = 74_000
"""The most bytes for the messages of one window."""
_FRAME = 520
"""Bytes of markup around a block."""
_MIN_SCALE = 0.12
_HOLDS = {
    Hold.TOOL_PAIR: "No cut here: a call would lose its result.",
    Hold.ANSWER: "No cut here: records of one answer would be parted.",
    Hold.OPEN_CALL: "No cut here: the result of a call is still to come.",
}


@dataclass(frozen=True, slots=True)
class ElementView:
    place: str
    number: int
    """Counted from one, for people; zero for the system prompt and the tools."""
    role: str
    pieces: tuple[PieceView, ...]
    more: int
    """Blocks that are not shown."""
    weight: Weight
    hold: str | None = None
    """Why the conversation cannot be cut before it; empty if it can, None if that is not known."""
    uuid: str = ""
    """The uuid of its first record; empty if no record holds it."""


@dataclass(frozen=True, slots=True)
class MessageGap:
    """Messages that are not shown: from `first` up to before `end`, counted from zero."""

    first: int
    end: int
    last: int
    """Where the last window of them begins."""

    @property
    def count(self) -> int:
        return self.end - self.first


class MessageArray:
    """The messages of one context, ready to be shown a few at a time."""

    def __init__(self, context: Context, mask: Mask, opened: str = "", weights: ContextWeights | None = None) -> None:
        """`opened`: the place of a block or message that is shown as a whole. `weights`: of this context; without
        them, tokens are estimated."""
        self._context = context
        self._weights = weights
        self._mask = mask
        self._opened = opened
        origin = "made by the client"
        if context.captured is not None:
            origin = "the capture of the request"
        elif context.exactness is Exactness.RECORDED:
            origin = "the client's log of the request"
        self._pieces = PieceViews(
            self._answer_blocks, context.removed_results, origin, None if weights is None else self._weigh
        )
        self._by_block: dict[int, Weight] | None = None
        self._marked = _marked_blocks(context)
        self._cuts: tuple[Cuts, dict[str, int]] | None = None

    def __len__(self) -> int:
        return len(self._context.elements)

    def page(self, start: int | None = None) -> list[ElementView | MessageGap]:
        """The first few messages and the last ones, or those from `start` on, with gaps for the others."""
        total = len(self)
        opened = self._opened.partition(".")[0]
        if start is None and is_number(opened):
            start = int(opened)
        if start is None:
            first, end = self._window_start(total), total
        else:
            first = min(max(0, start), max(0, total - 1))
            end = self._window_end(first, total)
        return self._with_gaps(range(min(HEAD, first)), first, end, total)

    def fill(self, first: int, end: int, start: int) -> list[ElementView | MessageGap]:
        """The messages of a gap from `start` on, with smaller gaps for the others."""
        end = min(end, len(self))
        first = min(max(0, first), end)
        start = min(max(first, start), end)
        return self._with_gaps(range(first, first), start, self._window_end(start, end), end)

    def _with_gaps(self, head: range, first: int, end: int, stop: int) -> list[ElementView | MessageGap]:
        elements = self._fit_page([*head, *range(first, end)])
        items: list[ElementView | MessageGap] = [*elements[: len(head)]]
        if head.stop < first:
            items.append(MessageGap(head.stop, first, self._window_start(first, head.stop)))
        items += elements[len(head) :]
        if end < stop:
            items.append(MessageGap(end, stop, self._window_start(stop, end)))
        return items

    def _fit_page(self, numbers: Sequence[int]) -> list[ElementView]:
        """Views of these messages, shortened so that they fit the page."""
        elements = [self._element(number, 1.0) for number in numbers]
        total = sum(map(_markup_bytes, elements))
        if total > ROOM:
            frames = _FRAME * sum(len(element.pieces) for element in elements)
            scale = max(_MIN_SCALE, (ROOM - frames) / max(1, total - frames) * 0.9)
            elements = [self._element(number, scale) for number in numbers]
        return elements

    def _window_start(self, end: int, least: int = 0) -> int:
        """Where the window that ends before `end` begins."""
        number, room = end, BLOCKS
        while number > least and end - number < WINDOW:
            room -= self._block_count(number - 1)
            if room < 0 and number < end:
                break
            number -= 1
        return number

    def _window_end(self, first: int, most: int) -> int:
        number, room = first, BLOCKS
        while number < most and number - first < WINDOW:
            room -= self._block_count(number)
            if room < 0 and number > first:
                break
            number += 1
        return number

    def _block_count(self, number: int) -> int:
        return min(PIECES, len(self._context.elements[number].pieces))

    def whole(self, number: int) -> ElementView:
        """One message with all of its blocks."""
        return self._element(number, 1.0, most=2_000)

    def piece(self, place: str) -> PieceView | None:
        """One block as a whole."""
        message, _, block = place.partition(".")
        if not is_number(block):
            return None
        lens = Lens(self._mask, whole=True)
        if message in ("system", "tools"):
            element = next((element for element in self.setup_elements(lens) if element.place == message), None)
            return element.pieces[int(block)] if element and int(block) < len(element.pieces) else None
        if not is_number(message) or int(message) >= len(self):
            return None
        pieces = self._context.elements[int(message)].pieces
        return self._piece(int(message), int(block), lens) if int(block) < len(pieces) else None

    def setup_elements(self, lens: Lens | None = None) -> list[ElementView]:
        """The system prompt and the tools, if a record holds them."""
        setup, elements = self._context.setup, []
        lens = lens or Lens(self._mask)
        origin = setup_origin(self._context)
        for place, blocks in (("system", setup.system), ("tools", setup.tools)):
            if blocks is None:
                continue
            weights = self._setup_weights(place, blocks)
            whole = combine(weights)
            pieces = [
                setup_piece(place, number, block, lens.fresh(), origin, weights[number])
                for number, block in enumerate(blocks[:PIECES])
            ]
            if place == "tools":
                pieces = [_tools_piece(blocks, lens.fresh(), origin, whole)] if blocks else []
            more = max(0, len(blocks) - PIECES) if place == "system" else 0
            elements.append(ElementView(place, 0, place, tuple(pieces), more, whole))
        return elements

    def _element(self, number: int, scale: float, most: int = PIECES) -> ElementView:
        element = self._context.elements[number]
        lens = Lens(self._mask, scale=scale)
        most = 2_000 if self._opened == str(number) else most
        pieces = tuple(self._piece(number, index, lens.fresh()) for index in range(min(most, len(element.pieces))))
        more = len(element.pieces) - len(pieces)
        hold, uuid = self._hold(number)
        return ElementView(str(number), number + 1, element.role, pieces, more, self._size(number), hold, uuid)

    def _setup_weights(self, place: str, blocks: Sequence[Block]) -> Sequence[Weight]:
        if self._weights is None:
            return [estimate_blocks((block,), self._context.model) for block in blocks]
        setup = setup_weights(self._context.setup, self._weights)
        return setup.system if place == "system" else setup.tools

    def _size(self, number: int) -> Weight:
        if self._weights is not None:
            return combine(self._weights.messages[number])
        pieces = self._context.elements[number].pieces
        return estimate_blocks([piece.block for piece in pieces], self._context.model)

    def _hold(self, number: int) -> tuple[str | None, str]:
        """Why the conversation cannot be cut here, and the record that would come after the cut."""
        if self._cuts is None:
            messages = self._context.messages
            self._cuts = (
                find_cuts(messages),
                {message.uuid: index for index, message in reversed([*enumerate(messages)])},
            )
        message_cuts, index_by_uuid = self._cuts
        indexes = [
            index_by_uuid[uuid]
            for piece in self._context.elements[number].pieces
            if (uuid := piece.message.uuid) in index_by_uuid
        ]
        if not number or not indexes:
            return None, ""
        first = min(indexes)
        obstacle = message_cuts.obstacles[first]
        return _HOLDS[obstacle.hold] if obstacle is not None else "", self._context.messages[first].uuid

    def _piece(self, number: int, index: int, lens: Lens) -> PieceView:
        if self._opened == f"{number}.{index}":
            lens = Lens(self._mask, whole=True)
        piece = self._context.elements[number].pieces[index]
        return self._pieces.view(f"{number}.{index}", piece, lens, cached=(number, index) in self._marked)

    def _weigh(self, piece: Piece) -> Weight:
        assert self._weights is not None
        if self._by_block is None:
            self._by_block = {
                id(piece.block): weight
                for element, row in zip(self._context.elements, self._weights.messages, strict=True)
                for piece, weight in zip(element.pieces, row, strict=True)
            }
        return self._by_block[id(piece.block)]

    def _answer_blocks(self) -> Iterator[Block]:
        elements = (element for element in self._context.elements if element.role == "assistant")
        return (piece.block for element in elements for piece in element.pieces)


def setup_origin(context: Context) -> str:
    if context.captured is not None:
        return "the capture of the request"
    return "the client's log of the request" if context.logged else "the client's snapshot of its prompt"


def is_number(words: str) -> bool:
    return words.isascii() and words.isdigit() and len(words) < 8


def setup_piece(place: str, index: int, block: Mapping[str, Any], lens: Lens, origin: str, weight: Weight) -> PieceView:
    """A block of the system prompt, which no entry holds."""
    words = lens.block(block_text(mask_named_values(dict(block))), LIMIT)
    tally = lens.tally
    details = (tally.cut, tally.size, round(weight.tokens), None, "", origin, (), False, weight.mark)
    return PieceView(f"{place}.{index}", "text", False, words, *details)


def _tools_piece(tools: Sequence[Mapping[str, Any]], lens: Lens, origin: str, weight: Weight) -> PieceView:
    names = [as_text(tool.get("name")) or "unnamed" for tool in tools]
    words = lens.block(", ".join(names), LIMIT)
    label = plural(len(names), "tool")
    tally = lens.tally
    details = (tally.cut, tally.size, round(weight.tokens), None, "", origin, (), False, weight.mark)
    return PieceView("tools.0", label, False, words, *details)


def _marked_blocks(context: Context) -> set[tuple[int, int]]:
    """The messages and blocks that carry cache marks."""
    blocks: set[tuple[int, int]] = set()
    for mark in context.setup.marks or ():
        match mark.get("path"):
            case ["messages", int(message), "content", int(block)]:
                blocks.add((message, block))
            case ["messages", int(message)] if 0 <= message < len(context.elements):
                blocks.add((message, len(context.elements[message].pieces) - 1))
    return blocks


def _markup_bytes(element: ElementView) -> int:
    return sum(_FRAME + len(escape(piece.words).encode("utf-8", "replace")) for piece in element.pieces)
