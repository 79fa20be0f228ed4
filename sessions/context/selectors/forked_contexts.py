"""Requests that a fork copied, as the session has them in which they were made. A fork may hold less of them."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.context.engine import Context, Exactness, PointMissingError
from sessions.context.selectors.contexts import load_context, load_contexts, point_of_request
from sessions.models import Transcript

_MAX_FORKS = 32
"""The longest chain of forks that is followed."""


def load_original_contexts(transcript: Transcript, forks: int = _MAX_FORKS) -> Iterator[tuple[Transcript, Context]]:
    """The contexts of all requests of a transcript, in order; copied requests come from the session that made them.

    A fork copies in order, so both sessions are walked once, side by side."""
    origin = transcript.forked_from if forks else None
    if origin is None:
        yield from ((transcript, context) for context in load_contexts(transcript))
        return
    originals = load_original_contexts(origin, forks - 1)
    for context in load_contexts(transcript):
        if _may_be_better_known(context):
            original = next((pair for pair in originals if pair[1].request == context.request), None)
            yield original or find_original(transcript, context)
        else:
            yield transcript, context


def find_original(transcript: Transcript, context: Context) -> tuple[Transcript, Context]:
    """The context of the same request in the session that made it, if that is known; else the context as it is."""
    session, best = transcript, context
    for _ in range(_MAX_FORKS):
        origin = session.forked_from
        if origin is None or not _may_be_better_known(best):
            break
        try:
            session, point = point_of_request(origin, context.request)
        except PointMissingError:
            break
        best = load_context(session, point)
    return session, best


def _may_be_better_known(context: Context) -> bool:
    """May the session that made the request know more of it?"""
    return context.is_copied and context.exactness is not Exactness.RECORDED
