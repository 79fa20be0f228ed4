"""A captured request as a context, so that it is shown like the requests of a session.

It has no records: only the roles and types of its blocks tell what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions.capture.engine import SentRequest
from sessions.context.engine.captured_request import captured_setup
from sessions.context.engine.presentation.messages import MessageArray
from sessions.context.engine.presentation.pieces import PieceView
from sessions.context.engine.rendering.array import Element, Piece
from sessions.context.engine.rendering.overlays import Overlays
from sessions.context.engine.request import Context
from sessions.context.engine.request_log import element_of
from sessions.linking.engine.raw_fields import text
from sessions.timeline.engine.cards.lens import Mask
from sessions.transcripts.engine.messages import Block, Message, MessageKind, Role

BLOCKS = 40
"""The most blocks of an answer that are shown."""
_REMINDER = "<system-reminder>"


def context_of_capture(sent: SentRequest, *, request: str, model: str) -> Context:
    elements = tuple(_with_origins(element_of(message, {})) for message in sent.messages)
    return Context(request, 0, model, (), None, elements, captured_setup(sent), Overlays(), captured=sent)


def answer_pieces(answer: Mapping[str, Any], mask: Mask) -> tuple[PieceView, ...]:
    """The blocks of a captured answer, uncut."""
    array = MessageArray(context_of_capture(SentRequest(0, (answer,), None, None, {}, ()), request="", model=""), mask)
    pieces = (array.piece(f"0.{index}") for index in range(BLOCKS))
    return tuple(piece for piece in pieces if piece is not None)


def _with_origins(element: Element) -> Element:
    pieces = (Piece(piece.block, _message(element.role, piece.block)) for piece in element.pieces)
    return Element(element.role, tuple(pieces))


def _message(role: Role, block: Block) -> Message:
    if role == "assistant":
        return Message(role, (block,), MessageKind.ANSWER)
    if block.get("type") == "tool_result":
        return Message(role, (block,), MessageKind.RESULT)
    injected = role == "system" or text(block.get("text")).startswith(_REMINDER)
    return Message(role, (block,), MessageKind.INJECTED if injected else MessageKind.PROMPT)
