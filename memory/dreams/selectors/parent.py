"""The session that a dream can continue: the latest that uses the memory, while its request is still cached."""

from __future__ import annotations

from dataclasses import dataclass

from memory.dreams.engine.lock import DreamLock
from memory.dreams.selectors.gates import sessions_since
from memory.models import Directory
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Request, Source, Transcript
from sessions.requests.selectors import ParentRequest, find_parent_request
from sessions.requests.selectors.warmth import cache_warmth
from sessions.transcripts.engine.paths import encode_path

NO_SESSION = "No session that uses this memory is in the archive, so the dream asks by itself."


@dataclass(frozen=True, slots=True)
class DreamParent:
    """`request` is None if the dream sends its own request."""

    why: str
    request: ParentRequest | None = None
    tokens: int = 0
    """What the cache has of it; each turn of the dream reads that."""


def find_dream_parent(directory: Directory, now_ms: int) -> DreamParent:
    recent = sessions_since(directory, DreamLock(None, None))
    paths = [encode_path(session.path) for session in recent[:1]]
    rows = Transcript.objects.filter(source__path__in=paths, kind=Transcript.Kind.MAIN).select_related("source")
    transcript = rows.exclude(source__state=Source.State.REPLACED).first()
    if transcript is None:
        return DreamParent(NO_SESSION)
    warmth = cache_warmth(transcript, now_ms)
    if not warmth.is_warm:
        return DreamParent(f"{warmth.sentence} So the dream asks by itself.")
    parent = find_parent_request(transcript, load_context(transcript, point_next(transcript)))
    if not isinstance(parent, ParentRequest):
        return DreamParent(f"{parent} So the dream asks by itself.")
    last = Request.objects.filter(transcript=transcript, agent="").order_by("-position").first()
    tokens = 0 if last is None else last.cache_read + last.cache_write_5m + last.cache_write_1h
    title = transcript.title or transcript.public_id
    why = f"The dream goes on from the session “{title[:80]}”, as a fork of its request. {warmth.sentence}"
    return DreamParent(why, parent, tokens)
