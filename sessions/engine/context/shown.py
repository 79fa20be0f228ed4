"""The array as a page shows it: every message with the first lines of its blocks, masked, cut, and with its origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from sessions.engine.cards.lens import Lens, Limit, Mask
from sessions.engine.cards.loose import content_blocks, table, text
from sessions.engine.cards.raw import pretty
from sessions.engine.context.array import Piece
from sessions.engine.context.known import Exactness
from sessions.engine.context.overlays import CLEARED
from sessions.engine.context.view import Context
from sessions.engine.messages import Block, Kind
from sessions.engine.messages.cuts import Cuts, Hold, cuts
from sessions.engine.tokens import estimate_blocks
from sessions.engine.words import size

LIMIT = Limit(420, 7)
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
_LONG_JSON = 12_000
_PERSISTED = "<persisted-output>"
_HOLDS = {
    Hold.TOOL_PAIR: "No cut here: a call would lose its result.",
    Hold.ANSWER: "No cut here: records of one answer would be parted.",
    Hold.OPEN_CALL: "No cut here: the result of a call is still to come.",
}


class Note(NamedTuple):
    """A mark on a block: what was done to it, and by which record."""

    name: str
    """Of its style: summarised, cleared, persisted, injected, inexact, cached."""
    symbol: str
    words: str
    by: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ShownPiece:
    place: str
    """`12.3`: the block in the message, both counted from zero; `system.0` beside the messages."""
    label: str
    mono: bool
    """The label is a name out of the conversation."""
    words: str
    cut: bool
    size: int
    tokens: int | None
    """None: the text is not recorded."""
    position: int | None
    """Of its entry; None if no entry holds it."""
    address: str
    """The last part of the entry's permalink."""
    origin: str
    """Where it comes from if no entry holds it."""
    notes: tuple[Note, ...]
    error: bool


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
        self._called: dict[str, str] | None = None
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
        origin = "the client's log of the request" if self._context.logged else "the client's snapshot of its prompt"
        for place, blocks in (("system", given.system), ("tools", given.tools)):
            if blocks is None:
                continue
            shown = [_beside(place, at, block, lens.fresh(), origin) for at, block in enumerate(blocks[:PIECES])]
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
            self._cuts = cuts(messages), {message.uuid: at for at, message in reversed([*enumerate(messages)])}
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
        piece = self._context.elements[number].pieces[at]
        if self._opened == f"{number}.{at}":
            lens = Lens(self._mask, whole=True)
        label, mono = self._label(piece)
        words = lens.block(told(piece.block), LIMIT)
        return ShownPiece(
            f"{number}.{at}",
            lens.line(label, 60),
            mono,
            words,
            lens.tally.cut,
            lens.tally.size,
            None if is_silent(piece.block) else estimate_blocks((piece.block,)),
            piece.message.position,
            address_of(piece),
            "" if address_of(piece) else self._origin(),
            self._notes(piece, (number, at)),
            piece.block.get("is_error") is True,
        )

    def _origin(self) -> str:
        if self._context.exactness is Exactness.RECORDED:
            return "the client's log of the request"
        return "made by the client"

    def _label(self, piece: Piece) -> tuple[str, bool]:
        kind = text(piece.block.get("type"))
        if kind == "text":
            return "prompt" if piece.message.kind is Kind.PROMPT else "text", False
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            return text(piece.block.get("name")) or "unnamed tool", True
        if kind == "tool_result":
            name = self._names().get(text(piece.block.get("tool_use_id")), "")
            return f"{name} result" if name else "result", bool(name)
        return kind.replace("_", " ") or "block without a type", False

    def _names(self) -> dict[str, str]:
        """tool_use id -> the name of the tool."""
        if self._called is None:
            self._called = {
                text(piece.block.get("id")): text(piece.block.get("name"))
                for element in self._context.elements
                if element.role == "assistant"
                for piece in element.pieces
                if piece.block.get("type") == "tool_use"
            }
        return self._called

    def _notes(self, piece: Piece, place: tuple[int, int]) -> tuple[Note, ...]:
        notes: list[Note] = []
        message = piece.message
        if message.kind is Kind.SUMMARY:
            notes.append(Note("summarised", "▨", "summary", why="Stands for what was summarised away."))
        elif message.kind is Kind.INJECTED:
            notes.append(Note("injected", "⊕", "injected", why="Put in by the client, not said by a person."))
        if (put := self._put_aside(piece)) is not None:
            notes.append(put)
        if not piece.exact:
            why = "This version wrote down what it attached, not the words that it sent."
            notes.append(Note("inexact", "≈", "wording not recorded", why=why))
        if place in self._marked:
            why = "The client asked for the prompt to be cached up to here."
            notes.append(Note("cached", "⚑", "cache mark", why=why))
        return tuple(notes)

    def _put_aside(self, piece: Piece) -> Note | None:
        if piece.block.get("type") != "tool_result":
            return None
        position = piece.message.position
        taken = self._context.taken.get(position) if position is not None else None
        words = told(piece.block)
        if (taken and taken[1]) or words.strip() == CLEARED:
            return Note("cleared", "☐", "cleared, original in the entry", taken[0] if taken else None)
        if taken or words.lstrip().startswith(_PERSISTED):
            return Note("persisted", "⛁", "on disk, preview only", taken[0] if taken else None)
        return None


def is_number(words: str) -> bool:
    return words.isascii() and words.isdigit() and len(words) < 8


def address_of(piece: Piece) -> str:
    message = piece.message
    return message.uuid or ("" if message.position is None else f"L{message.position}")


def is_silent(block: Block) -> bool:
    """A thought of which only the signature was written down."""
    return block.get("type") == "thinking" and not text(block.get("thinking"))


def told(block: Block) -> str:
    """What a block says, as text."""
    kind = block.get("type")
    if kind == "text":
        return text(block.get("text"))
    if kind == "thinking":
        return text(block.get("thinking")) or "The text of the thinking is not recorded, only its signature."
    if kind == "redacted_thinking":
        return f"Redacted thinking, {size(len(text(block.get('data'))))}."
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return _named(block.get("input"))
    if kind == "tool_result":
        return "\n".join(map(_part, content_blocks(block.get("content"))))
    if kind in ("image", "document"):
        return _picture(block)
    return pretty(dict(block), _LONG_JSON)


def _named(given: object) -> str:
    if not isinstance(given, Mapping):
        return pretty(given, _LONG_JSON)
    return "\n".join(f"{name}: {pretty(value, 200_000)}" for name, value in given.items())


def _part(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    if kind == "text":
        return text(part.get("text"))
    return _picture(part) if kind in ("image", "document") else pretty(dict(part), _LONG_JSON)


def _picture(block: Mapping[str, Any]) -> str:
    source = table(block.get("source"))
    about = text(source.get("media_type")) or text(source.get("url")) or "of an unknown kind"
    return f"[{text(block.get('type'))}: {about}, {size(len(text(source.get('data'))) * 3 // 4)}]"


def _beside(place: str, at: int, block: Mapping[str, Any], lens: Lens, origin: str) -> ShownPiece:
    words = lens.block(told(block), LIMIT)
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
