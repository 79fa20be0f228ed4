"""A block of a message for pages: its first lines, masked and cut, with its origin and what was done to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions.context.engine.rendering.array import Piece
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.text.engine.words import size
from sessions.timeline.engine.cards.lens import Lens, Limit
from sessions.timeline.engine.cards.safe_get import as_dict, as_text, content_blocks
from sessions.timeline.engine.cards.value_text import format_value
from sessions.transcripts.engine.messages import Block, MessageKind
from sessions.weights.engine.rates import estimate_blocks
from sessions.weights.engine.weight import Basis, Weight

LIMIT = Limit(420, 7)
PERSISTED = "<persisted-output>"
_LONG_JSON = 12_000


class PieceNote(NamedTuple):
    """A mark on a block: what was done to it, and by which record."""

    name: str
    """The name of its style: summarised, collapsed, cleared, persisted, injected, inexact or cached."""
    symbol: str
    words: str
    by: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PieceView:
    place: str
    """`12.3`: message and block, both counted from zero; or `system.0`."""
    label: str
    mono: bool
    """The label is a name from the conversation."""
    words: str
    cut: bool
    size: int
    tokens: int | None
    """None if the text is not recorded."""
    position: int | None
    """The position of its entry; None if no entry holds it."""
    address: str
    """The last part of the entry's permalink."""
    origin: str
    """Where the block comes from if no entry holds it."""
    notes: tuple[PieceNote, ...]
    error: bool
    mark: str = "~"
    """Before the tokens, unless the API counted exactly this."""


class PieceViews:
    """Makes views of the blocks of one conversation."""

    def __init__(
        self,
        blocks: Callable[[], Iterable[Block]],
        removed_results: Mapping[int, tuple[int, bool]],
        origin: str,
        weigh: Callable[[Piece], Weight] | None = None,
    ) -> None:
        """`blocks`: all of the conversation; `removed_results`: of the context; `origin`: shown for what no entry
        holds."""
        self._blocks = blocks
        self._removed_results = removed_results
        self._origin = origin
        self._weigh = weigh or _estimate
        self._tool_names: dict[str, str] | None = None

    def view(self, place: str, piece: Piece, lens: Lens, *, cached: bool = False) -> PieceView:
        label, mono = self._label(piece)
        words = lens.block(block_text(piece.block), LIMIT)
        weight = self._weigh(piece)
        return PieceView(
            place,
            lens.line(label, 60),
            mono,
            words,
            lens.tally.cut,
            lens.tally.size,
            None if is_unrecorded_thinking(piece.block) and weight.basis is Basis.ESTIMATED else round(weight.tokens),
            piece.message.position,
            address_of(piece),
            "" if address_of(piece) else self._origin,
            self._notes(piece, cached=cached),
            piece.block.get("is_error") is True,
            weight.mark,
        )

    def _label(self, piece: Piece) -> tuple[str, bool]:
        kind = as_text(piece.block.get("type"))
        if kind == "text":
            return "prompt" if piece.message.kind is MessageKind.PROMPT else "text", False
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            return as_text(piece.block.get("name")) or "unnamed tool", True
        if kind == "tool_result":
            name = self._names().get(as_text(piece.block.get("tool_use_id")), "")
            return f"{name} result" if name else "result", bool(name)
        return kind.replace("_", " ") or "block without a type", False

    def _names(self) -> dict[str, str]:
        """tool_use id -> the name of the tool."""
        if self._tool_names is None:
            self._tool_names = {
                as_text(block.get("id")): as_text(block.get("name"))
                for block in self._blocks()
                if block.get("type") == "tool_use"
            }
        return self._tool_names

    def _notes(self, piece: Piece, *, cached: bool) -> tuple[PieceNote, ...]:
        notes: list[PieceNote] = []
        message = piece.message
        if message.kind is MessageKind.SUMMARY and not message.uuid and message.position is not None:
            notes.append(
                PieceNote("collapsed", "≣", "collapsed span", why="Stands for a span of messages that was folded.")
            )
        elif message.kind is MessageKind.SUMMARY:
            notes.append(PieceNote("summarised", "▨", "summary", why="Stands for what was summarised away."))
        elif message.kind is MessageKind.INJECTED:
            notes.append(PieceNote("injected", "⊕", "injected", why="Put in by the client, not said by a person."))
        if (shortened := self._shortened_note(piece)) is not None:
            notes.append(shortened)
        if not piece.exact:
            why = "No record holds the very words that were sent here."
            notes.append(PieceNote("inexact", "≈", "wording not certain", why=why))
        if cached:
            why = "The client asked for the prompt to be cached up to here."
            notes.append(PieceNote("cached", "⚑", "cache mark", why=why))
        return tuple(notes)

    def _shortened_note(self, piece: Piece) -> PieceNote | None:
        if piece.block.get("type") != "tool_result":
            return None
        position = piece.message.position
        removed = self._removed_results.get(position) if position is not None else None
        words = block_text(piece.block)
        if (removed and removed[1]) or words.strip() == CLEARED:
            return PieceNote("cleared", "☐", "cleared, original in the entry", removed[0] if removed else None)
        if removed or words.lstrip().startswith(PERSISTED):
            return PieceNote("persisted", "⛁", "on disk, preview only", removed[0] if removed else None)
        return None


def address_of(piece: Piece) -> str:
    """The last part of the entry's permalink; empty for what no entry holds."""
    message = piece.message
    return "" if message.position is None else message.uuid or f"L{message.position}"


def is_unrecorded_thinking(block: Block) -> bool:
    """Is it thinking of which only the signature is recorded?"""
    return block.get("type") == "thinking" and not as_text(block.get("thinking"))


def block_text(block: Block) -> str:
    """The content of a block as text."""
    kind = block.get("type")
    if kind == "text":
        return as_text(block.get("text"))
    if kind == "thinking":
        return as_text(block.get("thinking")) or "The text of the thinking is not recorded, only its signature."
    if kind == "redacted_thinking":
        return f"Redacted thinking, {size(len(as_text(block.get('data'))))}."
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return _input_text(block.get("input"))
    if kind == "tool_result":
        return "\n".join(map(_part_text, content_blocks(block.get("content"))))
    if kind in ("image", "document"):
        return _picture_text(block)
    return format_value(dict(block), _LONG_JSON)


def _input_text(tool_input: object) -> str:
    if not isinstance(tool_input, Mapping):
        return format_value(tool_input, _LONG_JSON)
    return "\n".join(f"{name}: {format_value(value, 200_000)}" for name, value in tool_input.items())


def _part_text(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    if kind == "text":
        return as_text(part.get("text"))
    return _picture_text(part) if kind in ("image", "document") else format_value(dict(part), _LONG_JSON)


def _picture_text(block: Mapping[str, Any]) -> str:
    source = as_dict(block.get("source"))
    about = as_text(source.get("media_type")) or as_text(source.get("url")) or "of an unknown kind"
    return f"[{as_text(block.get('type'))}: {about}, {size(len(as_text(source.get('data'))) * 3 // 4)}]"


def _estimate(piece: Piece) -> Weight:
    return estimate_blocks((piece.block,))
