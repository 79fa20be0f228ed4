"""The contexts of two requests that are compared: as they were sent, wherever that is recorded."""

from __future__ import annotations

from dataclasses import replace

from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context, Exactness
from sessions.context.engine.request_log import element_of, origins_of
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Request, Transcript
from sessions.transcripts.engine.keys import key_of

_FILES = 4
"""So many other files are asked for a request, at the most."""


def pair_of(
    transcript: Transcript, previous: ContextPoint, current: ContextPoint, reader: Reader
) -> tuple[Context, Context]:
    """A fork repeats the answers of the session that it goes on from, but not the log of its requests. So where only
    one of the two is recorded here, the file that the other was made in may know it."""
    old, new = load_context(transcript, previous, reader), load_context(transcript, current, reader)
    if old.exactness is Exactness.RECONSTRUCTED and new.exactness is Exactness.RECORDED:
        old = _elsewhere(transcript, old) or old
    return old, new


def _elsewhere(transcript: Transcript, context: Context) -> Context | None:
    """The same request by the log of another file; its blocks still come from the records of this one."""
    known = Request.objects.filter(message_key=key_of(context.request), message_id=context.request)
    others = known.exclude(transcript=transcript).order_by("-owned", "pk").select_related("transcript")
    for other in others[:_FILES]:
        found = load_context(other.transcript, ContextPoint(other.position, None, context.request))
        if found.recorded is None:
            continue
        origins = origins_of(context.elements)
        contents = ([dict(piece.block) for piece in element.pieces] for element in found.recorded)
        sent = zip(found.recorded, contents, strict=True)
        recorded = tuple(element_of({"role": element.role, "content": blocks}, origins) for element, blocks in sent)
        logged = None if found.logged is None else replace(found.logged, position=context.position)
        return replace(context, recorded=recorded, logged=logged, setup=found.setup, captured=found.captured)
    return None
