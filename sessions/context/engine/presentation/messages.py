"""The array as a page shows it: every message with the first lines of its blocks, masked, cut, and with its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from sessions.context.engine.certainty import Exactness
from sessions.context.engine.presentation.pieces import (
    LIMIT,
    Pieces,
    ShownPiece,
    told,
)
from sessions.context.engine.request import Context
from sessions.secrets.engine.structure import hide_named
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.safe_get import text
from sessions.transcripts.engine.messages import Block
from sessions.transcripts.engine.messages.cuts import Cuts, Hold, find_cuts
from sessions.usage.engine.tokens import estimate_blocks

WINDOW = 56
"""Messages that are shown at once, next to the first few."""
HEAD = 4
BLOCKS = 100
"""Blocks of a window, however many messages they belong to."""
PIECES = 16
"""Blocks of one message that are shown at once."""
ROOM = 74_000
"""Bytes that the messages of one window may come to."""
_FRAME = 520
"""Bytes of markup around a block."""
_LEAST = 0.12
_HOLDS = {
    Hold.TOOL_PAIR: "No cut here: a call would lose its result.",
    Hold.ANSWER: "No cut here: records of one answer would be parted.",
    Hold.OPEN_CALL: "No cut here: the result of a call is still to come.",
}


@dataclass(frozen=True, slots=True)
class ShownElement:
    place: str
    number: int
    """For people, who count from one; zero beside the messages."""
    role: str
    pieces: tuple[ShownPiece, ...]
    more: int
    """Blocks that are not shown."""
    tokens: int
    hold: str | None = None
    """Why the conversation cannot be cut before it; empty if it can, None if that cannot be told."""
    uuid: str = ""
    """Of the record that it begins with; empty if no record holds it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages that are not shown: from `first` up to before `end`, counted from zero."""

    first: int
    end: int
    last: int
    """Where the last of them begin that fit one window."""

    @property
    def count(self) -> int:
        return self.end - self.first


class Array:
    """The messages of one context, ready to be shown a few at a time."""

    def __init__(self, context: Context, mask: Mask, opened: str = "") -> None:
        """`opened`: the place of a block, or of a message, that is wanted as a whole."""
        self._context = context
        self._mask = mask
        self._opened = opened
        origin = "made by the client"
        if context.captured is not None:
            origin = "the capture of the request"
        elif context.exactness is Exactness.RECORDED:
            origin = "the client's log of the request"
        self._pieces = Pieces(self._answered, context.taken, origin)
        self._marked = _marked(context)
        self._cuts: tuple[Cuts, dict[str, int]] | None = None

    def __len__(self) -> int:
        return len(self._context.elements)

    def page(self, start: int | None = None) -> list[ShownElement | Gap]:
        """The first few messages and the last, or those from `start` on; gaps stand for the others."""
        total = len(self)
        opened = self._opened.partition(".")[0]
        if start is None and is_number(opened):
            start = int(opened)
        if start is None:
            first, end = self._before(total), total
        else:
            first = min(max(0, start), max(0, total - 1))
            end = self._after(first, total)
        return self._with_gaps(range(min(HEAD, first)), first, end, total)

    def fill(self, first: int, end: int, start: int) -> list[ShownElement | Gap]:
        """Messages of a gap from `start` on; smaller gaps stand for what is still left out."""
        end = min(end, len(self))
        first = min(max(0, first), end)
        start = min(max(first, start), end)
        return self._with_gaps(range(first, first), start, self._after(start, end), end)

    def _with_gaps(self, head: range, first: int, end: int, stop: int) -> list[ShownElement | Gap]:
        shown = self._fitting([*head, *range(first, end)])
        found: list[ShownElement | Gap] = [*shown[: len(head)]]
        if head.stop < first:
            found.append(Gap(head.stop, first, self._before(first, head.stop)))
        found += shown[len(head) :]
        if end < stop:
            found.append(Gap(end, stop, self._before(stop, end)))
        return found

    def _fitting(self, numbers: Sequence[int]) -> list[ShownElement]:
        """Together not larger than a page allows."""
        shown = [self._element(number, 1.0) for number in numbers]
        total = sum(map(_bytes, shown))
        if total > ROOM:
            frames = _FRAME * sum(len(element.pieces) for element in shown)
            scale = max(_LEAST, (ROOM - frames) / max(1, total - frames) * 0.9)
            shown = [self._element(number, scale) for number in numbers]
        return shown

    def _before(self, end: int, least: int = 0) -> int:
        """Where the messages before `end` begin that fit one window."""
        at, room = end, BLOCKS
        while at > least and end - at < WINDOW:
            room -= self._blocks(at - 1)
            if room < 0 and at < end:
                break
            at -= 1
        return at

    def _after(self, first: int, most: int) -> int:
        at, room = first, BLOCKS
        while at < most and at - first < WINDOW:
            room -= self._blocks(at)
            if room < 0 and at > first:
                break
            at += 1
        return at

    def _blocks(self, number: int) -> int:
        return min(PIECES, len(self._context.elements[number].pieces))

    def whole(self, number: int) -> ShownElement:
        """One message with all of its blocks."""
        return self._element(number, 1.0, most=2_000)

    def piece(self, place: str) -> ShownPiece | None:
        """One block, as long as it is."""
        message, _, block = place.partition(".")
        if not is_number(block):
            return None
        lens = Lens(self._mask, whole=True)
        if message in ("system", "tools"):
            beside = next((one for one in self.beside(lens) if one.place == message), None)
            return beside.pieces[int(block)] if beside and int(block) < len(beside.pieces) else None
        if not is_number(message) or int(message) >= len(self):
            return None
        pieces = self._context.elements[int(message)].pieces
        return self._piece(int(message), int(block), lens) if int(block) < len(pieces) else None

    def beside(self, lens: Lens | None = None) -> list[ShownElement]:
        """The system prompt and the tools, where a record holds them."""
        given, found = self._context.given, []
        lens = lens or Lens(self._mask)
        origin = origin_beside(self._context)
        for place, blocks in (("system", given.system), ("tools", given.tools)):
            if blocks is None:
                continue
            shown = [beside_piece(place, at, block, lens.fresh(), origin) for at, block in enumerate(blocks[:PIECES])]
            if place == "tools":
                shown = [_tools(blocks, lens.fresh(), origin)] if blocks else []
            more = max(0, len(blocks) - PIECES) if place == "system" else 0
            found.append(ShownElement(place, 0, place, tuple(shown), more, estimate_blocks(blocks)))
        return found

    def _element(self, number: int, scale: float, most: int = PIECES) -> ShownElement:
        element = self._context.elements[number]
        lens = Lens(self._mask, scale=scale)
        most = 2_000 if self._opened == str(number) else most
        pieces = tuple(self._piece(number, at, lens.fresh()) for at in range(min(most, len(element.pieces))))
        tokens = estimate_blocks([piece.block for piece in element.pieces])
        more = len(element.pieces) - len(pieces)
        hold, uuid = self._hold(number)
        return ShownElement(str(number), number + 1, element.role, pieces, more, tokens, hold, uuid)

    def _hold(self, number: int) -> tuple[str | None, str]:
        """Why it cannot be cut here, and the record that a cut would stand before."""
        if self._cuts is None:
            messages = self._context.messages
            self._cuts = find_cuts(messages), {message.uuid: at for at, message in reversed([*enumerate(messages)])}
        found, places = self._cuts
        known = [
            places[uuid] for piece in self._context.elements[number].pieces if (uuid := piece.message.uuid) in places
        ]
        if not number or not known:
            return None, ""
        first = min(known)
        obstacle = found.obstacles[first]
        return _HOLDS[obstacle.hold] if obstacle is not None else "", self._context.messages[first].uuid

    def _piece(self, number: int, at: int, lens: Lens) -> ShownPiece:
        if self._opened == f"{number}.{at}":
            lens = Lens(self._mask, whole=True)
        piece = self._context.elements[number].pieces[at]
        return self._pieces.shown(f"{number}.{at}", piece, lens, cached=(number, at) in self._marked)

    def _answered(self) -> Iterator[Block]:
        elements = (element for element in self._context.elements if element.role == "assistant")
        return (piece.block for element in elements for piece in element.pieces)


def origin_beside(context: Context) -> str:
    if context.captured is not None:
        return "the capture of the request"
    return "the client's log of the request" if context.logged else "the client's snapshot of its prompt"


def is_number(words: str) -> bool:
    return words.isascii() and words.isdigit() and len(words) < 8


def beside_piece(place: str, at: int, block: Mapping[str, Any], lens: Lens, origin: str) -> ShownPiece:
    """What is sent beside the messages has no entry of its own."""
    words = lens.block(told(hide_named(dict(block))), LIMIT)
    tally = lens.tally
    tokens = estimate_blocks((dict(block),))
    known = (tally.cut, tally.size, tokens, None, "", origin, (), False)
    return ShownPiece(f"{place}.{at}", "text", False, words, *known)


def _tools(tools: Sequence[Mapping[str, Any]], lens: Lens, origin: str) -> ShownPiece:
    names = [text(tool.get("name")) or "unnamed" for tool in tools]
    words = lens.block(", ".join(names), LIMIT)
    label = f"{len(names)} {'tool' if len(names) == 1 else 'tools'}"
    tokens = estimate_blocks([dict(tool) for tool in tools])
    known = (lens.tally.cut, lens.tally.size, tokens, None, "", origin, (), False)
    return ShownPiece("tools.0", label, False, words, *known)


def _marked(context: Context) -> set[tuple[int, int]]:
    """The places of the cache marks among the messages."""
    found: set[tuple[int, int]] = set()
    for mark in context.given.marks or ():
        match mark.get("path"):
            case ["messages", int(message), "content", int(block)]:
                found.add((message, block))
            case ["messages", int(message)] if 0 <= message < len(context.elements):
                found.add((message, len(context.elements[message].pieces) - 1))
    return found


def _bytes(element: ShownElement) -> int:
    return sum(_FRAME + len(escape(piece.words).encode("utf-8", "replace")) for piece in element.pieces)
