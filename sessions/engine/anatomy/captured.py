"""A captured request as a context, so that it is taken apart as the requests of a session are.

No record of a session stands behind it: what its blocks are is told by their roles and types alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions.engine.capture import Sent
from sessions.engine.cards.lens import Mask
from sessions.engine.context.array import Element, Piece
from sessions.engine.context.captured import given_by
from sessions.engine.context.overlays import Overlays
from sessions.engine.context.pieces import ShownPiece
from sessions.engine.context.request import Context
from sessions.engine.context.requestlog import element_of
from sessions.engine.context.shown import Array
from sessions.engine.linking.extras import text
from sessions.engine.messages import Block, Kind, Message, Role

BLOCKS = 40
"""Of an answer that are shown."""
_REMINDER = "<system-reminder>"


def context_sent(sent: Sent, *, request: str, model: str) -> Context:
    elements = tuple(_told(element_of(message, {})) for message in sent.messages)
    return Context(request, 0, model, (), None, elements, given_by(sent), Overlays(), captured=sent)


def blocks_said(answer: Mapping[str, Any], mask: Mask) -> tuple[ShownPiece, ...]:
    """The blocks of a captured answer, each as a whole."""
    array = Array(context_sent(Sent(0, (answer,), None, None, {}, ()), request="", model=""), mask)
    found = (array.piece(f"0.{at}") for at in range(BLOCKS))
    return tuple(piece for piece in found if piece is not None)


def _told(element: Element) -> Element:
    pieces = (Piece(one.block, _message(element.role, one.block)) for one in element.pieces)
    return Element(element.role, tuple(pieces))


def _message(role: Role, block: Block) -> Message:
    if role == "assistant":
        return Message(role, (block,), Kind.ANSWER)
    if block.get("type") == "tool_result":
        return Message(role, (block,), Kind.RESULT)
    injected = role == "system" or text(block.get("text")).startswith(_REMINDER)
    return Message(role, (block,), Kind.INJECTED if injected else Kind.PROMPT)
