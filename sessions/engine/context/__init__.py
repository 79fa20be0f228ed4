"""What the model saw: the messages of any request, made from the transcript alone."""

from __future__ import annotations

from sessions.engine.context.array import Element, Piece
from sessions.engine.context.digest import digest, digest_element
from sessions.engine.context.known import Exactness, Given
from sessions.engine.context.log import Log, PointMissingError, context_at, contexts
from sessions.engine.context.request import Context
from sessions.engine.context.tally import Category, Tally
from sessions.engine.context.view import Viewer

__all__ = [
    "Category",
    "Context",
    "Element",
    "Exactness",
    "Given",
    "Log",
    "Piece",
    "PointMissingError",
    "Tally",
    "Viewer",
    "context_at",
    "contexts",
    "digest",
    "digest_element",
]
