"""From what records say to the elements of the array that is sent.

An answer's records are one element. What follows it until the next is one element of the user (results, then what the
client attached, then the person's words) and, with versions that know the role, one of the system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from sessions.context.engine.rendering.answers import THINKING
from sessions.context.engine.rendering.records import Place, Said
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    Role,
    text_block,
)


class Piece(Struct, frozen=True, gc=False):
    """A block, and the record that it came from."""

    block: Block
    message: Message
    exact: bool = True


class Element(Struct, frozen=True, gc=False):
    role: Role
    pieces: tuple[Piece, ...]

    def to_api(self) -> dict[str, Any]:
        return {"role": self.role, "content": [dict(piece.block) for piece in self.pieces]}


def elements_of(answer: Sequence[Said], others: Sequence[Said], *, calls_last: bool = False) -> tuple[Element, ...]:
    """One answer (or none) and what follows it. `others`: results first."""
    elements = []
    if pieces := tuple(_with_calls_last(_pieces(answer)) if calls_last else _pieces(answer)):
        elements.append(Element("assistant", pieces))
    system = [one for one in others if one.message.role == "system"]
    user = [one for one in others if one.message.role == "user"] if system else others
    pieces = _joined(user)
    if _told_in_parts(user):
        # The first part stands alone, the others are joined with what follows.
        first = pieces[0]
        words = str(first.block["text"]).removesuffix("\n")
        elements.append(Element("user", (Piece(text_block(words), first.message, first.exact),)))
        pieces = pieces[1:]
    if pieces:
        elements.append(Element("user", pieces))
    if system:
        elements.append(_system([Element("system", tuple(_pieces(system)))]))
    return tuple(elements)


def in_turn(parts: Iterable[Sequence[Element]]) -> tuple[Element, ...]:
    """The array. Where an answer is left out, what the user says before it and after it is one element, and what the
    role `system` says follows that: nothing but an answer may come after it. `parts`: of one answer each."""
    ordered: list[Element] = []
    for part in parts:
        if not ordered or not part or part[0].role == "assistant":
            ordered += part
            continue
        system = [ordered.pop()] if ordered[-1].role == "system" else []
        for at, element in enumerate(part):
            if element.role == "system":
                system.append(element)
            elif not at and ordered and ordered[-1].role == "user":
                ordered[-1] = _one_after_another(ordered[-1], element)
            else:
                ordered.append(element)
        if system:
            ordered.append(_system(system))
    return tuple(ordered)


def _system(elements: Sequence[Element]) -> Element:
    pieces = [piece for element in elements for piece in element.pieces]
    words = "\n\n".join(str(piece.block["text"]) for piece in pieces)
    return Element("system", (Piece(text_block(words), pieces[0].message, all(piece.exact for piece in pieces)),))


def _one_after_another(first: Element, second: Element) -> Element:
    pieces = list(first.pieces)
    for piece in second.pieces:
        _append(pieces, piece, Place.ROW)
    return Element("user", tuple(pieces))


def _with_calls_last(pieces: list[Piece]) -> list[Piece]:
    """Texts and thoughts go before the calls that they came after. A thought does not where it would follow another;
    from there on all stays as it came."""
    ordered: list[Piece] = []
    calls = 0
    for at, piece in enumerate(pieces):
        if piece.block.get("type") == "tool_use":
            calls += 1
        elif calls:
            place = len(ordered) - calls
            if _is_thinking(piece) and place and _is_thinking(ordered[place - 1]):
                return [*ordered, *pieces[at:]]
            ordered.insert(place, piece)
            continue
        ordered.append(piece)
    return ordered


def _is_thinking(piece: Piece) -> bool:
    return piece.block.get("type") in THINKING


def _told_in_parts(user: Sequence[Said]) -> bool:
    """Does an attachment come first, and in several texts?"""
    notes = [one for one in user if one.place is not Place.ROW]
    if not notes or any(one.message.kind is MessageKind.RESULT for one in user):
        return False
    content = notes[0].message.content
    return len(content) > 1 and content[0].get("type") == "text"


def _joined(user: Sequence[Said]) -> tuple[Piece, ...]:
    results = [one for one in user if one.message.kind is MessageKind.RESULT]
    pieces = _pieces(results)
    if len(pieces) > len(results) > 1:
        # The API takes nothing between two results.
        pieces.sort(key=lambda piece: piece.block.get("type") != "tool_result")
    if len(results) == len(user):
        return tuple(pieces)
    others = [one for one in user if one.message.kind is not MessageKind.RESULT]
    notes = [one for one in others if one.place is not Place.ROW]
    rows = [one for one in others if one.place is Place.ROW]
    for one in (*notes, *rows):
        for block in one.message.content:
            if pieces and _is_told_in(pieces[-1].block, one.place):
                pieces[-1] = _within(pieces[-1], block, exact=one.exact)
            else:
                _append(pieces, Piece(block, one.message, one.exact), one.place)
    return tuple(pieces)


def _is_told_in(result: Block, place: Place) -> bool:
    if result.get("type") != "tool_result":
        return False
    return place is Place.RESULT or (place is Place.WORDS and isinstance(result.get("content"), str))


def _within(result: Piece, note: Block, *, exact: bool) -> Piece:
    content = result.block.get("content")
    if isinstance(content, list):
        parts = list(content)
        if parts and isinstance(parts[-1], dict) and parts[-1].get("type") == "text":
            parts[-1] = {**parts[-1], "text": f"{parts[-1].get('text')}\n"}
        said: object = [*parts, dict(note)]
    else:
        said = f"{content or ''}\n\n{note.get('text')}".lstrip("\n")
    return Piece({**result.block, "content": said}, result.message, result.exact and exact)


def _append(pieces: list[Piece], piece: Piece, place: Place) -> None:
    last = pieces[-1] if pieces else None
    if last and place is not Place.BATCH and last.block.get("type") == piece.block.get("type") == "text":
        pieces[-1] = Piece({**last.block, "text": f"{last.block['text']}\n"}, last.message, last.exact)
    pieces.append(piece)


def _pieces(many: Iterable[Said]) -> list[Piece]:
    return [Piece(block, one.message, one.exact) for one in many for block in one.message.content]
