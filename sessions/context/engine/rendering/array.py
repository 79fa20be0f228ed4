"""Joins rendered records into the elements of the array that is sent.

The records of an answer are one element. What follows it until the next is one element of the user (results, then
attachments, then the person's words) and, with versions that use the role, one of the system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from sessions.context.engine.rendering.records import Placement, RenderedRecord
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message, MessageKind, Role, text_block


class Piece(Struct, frozen=True, gc=False):
    """A block and the record that it came from."""

    block: Block
    message: Message
    exact: bool = True


class Element(Struct, frozen=True, gc=False):
    role: Role
    pieces: tuple[Piece, ...]

    def to_api(self) -> dict[str, Any]:
        return {"role": self.role, "content": [dict(piece.block) for piece in self.pieces]}


def elements_of(
    answer: Sequence[RenderedRecord], others: Sequence[RenderedRecord], *, calls_last: bool = False
) -> tuple[Element, ...]:
    """One answer (or none) and what follows it. `others`: results first."""
    elements = []
    if pieces := tuple(_move_calls_last(_pieces(answer)) if calls_last else _pieces(answer)):
        elements.append(Element("assistant", pieces))
    system = [record for record in others if record.message.role == "system"]
    user = [record for record in others if record.message.role == "user"] if system else others
    pieces = _user_pieces(user)
    if _starts_with_parts(user):
        # The first part stays alone, the others are joined with what follows.
        first = pieces[0]
        words = str(first.block["text"]).removesuffix("\n")
        elements.append(Element("user", (Piece(text_block(words), first.message, first.exact),)))
        pieces = pieces[1:]
    if pieces:
        elements.append(Element("user", pieces))
    if system:
        elements.append(_join_system([Element("system", tuple(_pieces(system)))]))
    return tuple(elements)


def join_elements(parts: Iterable[Sequence[Element]]) -> tuple[Element, ...]:
    """The array. If an answer is left out, the user's words before and after it become one element, and the message of
    the role `system` follows, because only an answer may come after it. `parts`: of one answer each."""
    ordered: list[Element] = []
    for part in parts:
        if not ordered or not part or part[0].role == "assistant":
            ordered += part
            continue
        system = [ordered.pop()] if ordered[-1].role == "system" else []
        for index, element in enumerate(part):
            if element.role == "system":
                system.append(element)
            elif not index and ordered and ordered[-1].role == "user":
                ordered[-1] = _join_user(ordered[-1], element)
            else:
                ordered.append(element)
        if system:
            ordered.append(_join_system(system))
    return tuple(ordered)


def _join_system(elements: Sequence[Element]) -> Element:
    pieces = [piece for element in elements for piece in element.pieces]
    words = "\n\n".join(str(piece.block["text"]) for piece in pieces)
    return Element("system", (Piece(text_block(words), pieces[0].message, all(piece.exact for piece in pieces)),))


def _join_user(first: Element, second: Element) -> Element:
    pieces = list(first.pieces)
    for piece in second.pieces:
        _append(pieces, piece, Placement.ROW)
    return Element("user", tuple(pieces))


def _move_calls_last(pieces: list[Piece]) -> list[Piece]:
    """Texts and thinking go before the calls that they followed, except for thinking that would then follow other
    thinking, and everything after it."""
    ordered: list[Piece] = []
    calls = 0
    for index, piece in enumerate(pieces):
        if piece.block.get("type") == "tool_use":
            calls += 1
        elif calls:
            place = len(ordered) - calls
            if _is_thinking(piece) and place and _is_thinking(ordered[place - 1]):
                return [*ordered, *pieces[index:]]
            ordered.insert(place, piece)
            continue
        ordered.append(piece)
    return ordered


def _is_thinking(piece: Piece) -> bool:
    return piece.block.get("type") in THINKING_TYPES


def _starts_with_parts(user: Sequence[RenderedRecord]) -> bool:
    """Does an attachment of several texts come first?"""
    notes = [record for record in user if record.placement is not Placement.ROW]
    if not notes or any(record.message.kind is MessageKind.RESULT for record in user):
        return False
    content = notes[0].message.content
    return len(content) > 1 and content[0].get("type") == "text"


def _user_pieces(user: Sequence[RenderedRecord]) -> tuple[Piece, ...]:
    results = [record for record in user if record.message.kind is MessageKind.RESULT]
    pieces = _pieces(results)
    if len(pieces) > len(results) > 1:
        # The API accepts nothing between two results.
        pieces.sort(key=lambda piece: piece.block.get("type") != "tool_result")
    if len(results) == len(user):
        return tuple(pieces)
    others = [record for record in user if record.message.kind is not MessageKind.RESULT]
    notes = [record for record in others if record.placement is not Placement.ROW]
    rows = [record for record in others if record.placement is Placement.ROW]
    for record in (*notes, *rows):
        for block in record.message.content:
            if pieces and _goes_into_result(pieces[-1].block, record.placement):
                pieces[-1] = _add_to_result(pieces[-1], block, exact=record.exact)
            else:
                _append(pieces, Piece(block, record.message, record.exact), record.placement)
    return tuple(pieces)


def _goes_into_result(result: Block, place: Placement) -> bool:
    if result.get("type") != "tool_result":
        return False
    return place is Placement.RESULT or (place is Placement.WORDS and isinstance(result.get("content"), str))


def _add_to_result(result: Piece, note: Block, *, exact: bool) -> Piece:
    content = result.block.get("content")
    if isinstance(content, list):
        parts = list(content)
        if parts and isinstance(parts[-1], dict) and parts[-1].get("type") == "text":
            parts[-1] = {**parts[-1], "text": f"{parts[-1].get('text')}\n"}
        joined: object = [*parts, dict(note)]
    else:
        joined = f"{content or ''}\n\n{note.get('text')}".lstrip("\n")
    return Piece({**result.block, "content": joined}, result.message, result.exact and exact)


def _append(pieces: list[Piece], piece: Piece, place: Placement) -> None:
    last = pieces[-1] if pieces else None
    if last and place is not Placement.BATCH and last.block.get("type") == piece.block.get("type") == "text":
        pieces[-1] = Piece({**last.block, "text": f"{last.block['text']}\n"}, last.message, last.exact)
    pieces.append(piece)


def _pieces(records: Iterable[RenderedRecord]) -> list[Piece]:
    return [Piece(block, record.message, record.exact) for record in records for block in record.message.content]
