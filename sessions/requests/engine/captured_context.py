"""A captured request as a context, so that it is taken apart as the requests of a session are.

No record of a session stands behind it: what its blocks are is told by their roles and types alone.
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
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    Role,
)

BLOCKS = 40
"""Of an answer that are shown."""
_REMINDER = "<system-reminder>"


def context_sent(sent: SentRequest, *, request: str, model: str) -> Context:
    elements = tuple(_told(element_of(message, {})) for message in sent.messages)
    return Context(request, 0, model, (), None, elements, captured_setup(sent), Overlays(), captured=sent)


def blocks_said(answer: Mapping[str, Any], mask: Mask) -> tuple[PieceView, ...]:
    """The blocks of a captured answer, each as a whole."""
    array = MessageArray(context_sent(SentRequest(0, (answer,), None, None, {}, ()), request="", model=""), mask)
    found = (array.piece(f"0.{at}") for at in range(BLOCKS))
    return tuple(piece for piece in found if piece is not None)


def _told(element: Element) -> Element:
    pieces = (Piece(one.block, _message(element.role, one.block)) for one in element.pieces)
    return Element(element.role, tuple(pieces))


def _message(role: Role, block: Block) -> Message:
    if role == "assistant":
        return Message(role, (block,), MessageKind.ANSWER)
    if block.get("type") == "tool_result":
        return Message(role, (block,), MessageKind.RESULT)
    injected = role == "system" or text(block.get("text")).startswith(_REMINDER)
    return Message(role, (block,), MessageKind.INJECTED if injected else MessageKind.PROMPT)
