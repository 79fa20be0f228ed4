"""Requests that a fork copied, as the session holds them that they were made in: a fork has what was left of it."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.context.engine import Context, Exactness, PointMissingError
from sessions.context.selectors.contexts import load_context, load_contexts, point_of_request
from sessions.models import Transcript

_MAX_FORKS = 32
"""So many sessions may have been made of each other."""


def load_original_contexts(transcript: Transcript, forks: int = _MAX_FORKS) -> Iterator[Context]:
    """The contexts of all requests of a transcript, in order; of those that were copied, from where they were made.

    A fork copies in order, so both sessions are walked once, side by side."""
    origin = transcript.forked_from if forks else None
    if origin is None:
        yield from load_contexts(transcript)
        return
    there = load_original_contexts(origin, forks - 1)
    for context in load_contexts(transcript):
        if _may_be_better_known(context):
            made = next((one for one in there if one.request == context.request), None)
            yield made or find_original(transcript, context)[1]
        else:
            yield context


def find_original(transcript: Transcript, context: Context) -> tuple[Transcript, Context]:
    """The context of the same request in the session that it was made in, if that is known; else as it is."""
    session, found = transcript, context
    for _ in range(_MAX_FORKS):
        origin = session.forked_from
        if origin is None or not _may_be_better_known(found):
            break
        try:
            session, point = point_of_request(origin, context.request)
        except PointMissingError:
            break
        found = load_context(session, point)
    return session, found


def _may_be_better_known(context: Context) -> bool:
    """Perhaps, in the session that the request was made in."""
    return context.is_copied and context.exactness is not Exactness.RECORDED
