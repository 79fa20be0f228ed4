"""The earlier requests of the same source: what each wrote to the cache, and the one that was captured last."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from sessions.models import Capture, Request
from sessions.requests.engine.lifetime_reasons import Written


def writes_until(request: Request) -> list[Written]:
    """What the requests of its thread wrote, up to and including this one."""
    rows = Request.objects.filter(transcript=request.transcript_id, agent=request.agent, position__lte=request.position)
    counts = rows.order_by("position").values_list("cache_write_5m", "cache_write_1h")
    return [Written(five_minutes, one_hour) for five_minutes, one_hour in counts]


def captured_writes_until(capture: Capture) -> list[Written]:
    rows = _same_source(capture).filter(Q(at__lt=capture.at) | Q(pk=capture.pk)).order_by("at", "pk")
    counts = rows.values_list("cache_write_5m", "cache_write_1h")
    return [Written(five_minutes or 0, one_hour or 0) for five_minutes, one_hour in counts]


def capture_before(capture: Capture) -> Capture | None:
    """The previous captured request of the same source; None if that cannot be told."""
    return _same_source(capture).filter(at__lt=capture.at).order_by("-at", "-pk").first()


def _same_source(capture: Capture) -> QuerySet[Capture]:
    """A run of Lucid is a source, and so is a sub-agent of a session."""
    if capture.run_id is not None:
        return Capture.objects.filter(run_id=capture.run_id)
    if not capture.session_id:
        return Capture.objects.filter(pk=capture.pk)
    return Capture.objects.filter(session_id=capture.session_id, agent=capture.agent, run_id=None)
