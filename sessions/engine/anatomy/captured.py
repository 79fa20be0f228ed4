"""A captured request as a context, so that it is taken apart as the requests of a session are.

No record of a session stands behind it: what its blocks are is told by their roles and types alone.
"""

from __future__ import annotations

from sessions.engine.capture import Sent
from sessions.engine.context.array import Element, Piece
from sessions.engine.context.captured import given_by
from sessions.engine.context.overlays import Overlays
from sessions.engine.context.requestlog import element_of
from sessions.engine.context.tally import Tally
from sessions.engine.context.view import Context
from sessions.engine.linking.extras import text
from sessions.engine.messages import Block, Kind, Message, Role

_REMINDER = "<system-reminder>"


def context_sent(sent: Sent, *, request: str, model: str) -> Context:
    elements = tuple(_told(element_of(message, {})) for message in sent.messages)
    return Context(request, 0, model, (), None, elements, given_by(sent), Overlays(), Tally(), captured=sent)


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
