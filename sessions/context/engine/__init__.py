"""What the model saw: the messages of any request, rebuilt from the transcript alone."""

from __future__ import annotations

from sessions.context.engine.certainty import Exactness, RequestSetup
from sessions.context.engine.context_builder import ContextBuilder
from sessions.context.engine.digest import digest, digest_element
from sessions.context.engine.log import Log, PointMissingError, context_at, contexts
from sessions.context.engine.rendering.array import Element, Piece
from sessions.context.engine.request import Context
from sessions.context.engine.tally import Category, Tally

__all__ = [
    "Category",
    "Context",
    "ContextBuilder",
    "Element",
    "Exactness",
    "Log",
    "Piece",
    "PointMissingError",
    "RequestSetup",
    "Tally",
    "context_at",
    "contexts",
    "digest",
    "digest_element",
]
