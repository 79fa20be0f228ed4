"""The contexts of two requests to compare, as they were sent if that is recorded."""

from __future__ import annotations

from dataclasses import replace

from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context, Exactness
from sessions.context.engine.request_log import element_of, origins_of
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Request, Transcript
from sessions.transcripts.engine.keys import key_of

_MOST_FILES = 4
"""The most other files that are searched for a request."""


def contexts_of(
    transcript: Transcript, previous: ContextPoint, current: ContextPoint, reader: Reader
) -> tuple[Context, Context]:
    """A fork repeats the answers of the session that it continues, but not the log of its requests. So if only one of
    the two is recorded here, the file that the other was sent from may have it."""
    old, new = load_context(transcript, previous, reader), load_context(transcript, current, reader)
    if old.exactness is Exactness.RECONSTRUCTED and new.exactness is Exactness.RECORDED:
        old = _find_elsewhere(transcript, old) or old
    return old, new


def _find_elsewhere(transcript: Transcript, context: Context) -> Context | None:
    """The same request from the log of another file; its blocks still come from the records of this file."""
    requests = Request.objects.filter(message_key=key_of(context.request), message_id=context.request)
    others = requests.exclude(transcript=transcript).order_by("-owned", "pk").select_related("transcript")
    for other in others[:_MOST_FILES]:
        elsewhere = load_context(other.transcript, ContextPoint(other.position, None, context.request))
        if elsewhere.recorded is None:
            continue
        origins = origins_of(context.elements)
        contents = ([dict(piece.block) for piece in element.pieces] for element in elsewhere.recorded)
        sent = zip(elsewhere.recorded, contents, strict=True)
        recorded = tuple(element_of({"role": element.role, "content": blocks}, origins) for element, blocks in sent)
        logged = None if elsewhere.logged is None else replace(elsewhere.logged, position=context.position)
        return replace(context, recorded=recorded, logged=logged, setup=elsewhere.setup, captured=elsewhere.captured)
    return None
