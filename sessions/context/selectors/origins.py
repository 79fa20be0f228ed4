"""Requests that a fork copied, as the session holds them that they were made in: a fork has what was left of it."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.context.engine import Context, Exactness, PointMissingError
from sessions.context.selectors.contexts import context_of, contexts_of, point_of_request
from sessions.models import Transcript

_FORKS = 32
"""So many sessions may have been made of each other."""


def contexts_sent(transcript: Transcript, forks: int = _FORKS) -> Iterator[Context]:
    """The contexts of all requests of a transcript, in order; of those that were copied, from where they were made.

    A fork copies in order, so both sessions are walked once, side by side."""
    origin = transcript.forked_from if forks else None
    if origin is None:
        yield from contexts_of(transcript)
        return
    there = contexts_sent(origin, forks - 1)
    for context in contexts_of(transcript):
        if _is_better_known(context):
            made = next((one for one in there if one.request == context.request), None)
            yield made or made_in(transcript, context)[1]
        else:
            yield context


def made_in(transcript: Transcript, context: Context) -> tuple[Transcript, Context]:
    """The context of the same request in the session that it was made in, if that is known; else as it is."""
    session, found = transcript, context
    for _ in range(_FORKS):
        origin = session.forked_from
        if origin is None or not _is_better_known(found):
            break
        try:
            session, point = point_of_request(origin, context.request)
        except PointMissingError:
            break
        found = context_of(session, point)
    return session, found


def _is_better_known(context: Context) -> bool:
    """Perhaps, in the session that the request was made in."""
    return context.copied and context.exactness is not Exactness.RECORDED
