"""Requests that a fork copied, as the session holds them that they were made in: a fork has what was left of it."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.engine.context import Context, Exactness, PointMissingError
from sessions.models import Transcript
from sessions.selectors.context import context_of, contexts_of, point_of_request

_FORKS = 32
"""So many sessions may have been made of each other."""


def contexts_sent(transcript: Transcript) -> Iterator[Context]:
    """The contexts of all requests of a transcript, in order; of those that were copied, from where they were made."""
    for context in contexts_of(transcript):
        yield made_in(transcript, context)[1]


def made_in(transcript: Transcript, context: Context) -> tuple[Transcript, Context]:
    """The context of the same request in the session that it was made in, if that is known; else as it is."""
    session, found = transcript, context
    for _ in range(_FORKS):
        origin = session.forked_from
        if origin is None or not found.copied or found.exactness is Exactness.RECORDED:
            break
        try:
            session, point = point_of_request(origin, context.request)
        except PointMissingError:
            break
        found = context_of(session, point)
    return session, found
