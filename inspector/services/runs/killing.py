"""Kill: at once for a run that waits, at its next check for one that works."""

from __future__ import annotations

from inspector.models import Run
from inspector.services.runs.kinds import kind_named
from inspector.web.clock import now_ms


def run_kill(*, run_id: int) -> bool:
    """Whether there was anything to kill. The run itself says when it has ended."""
    now = now_ms()
    waiting = Run.objects.filter(pk=run_id, status=Run.Status.QUEUED)
    if waiting.update(status=Run.Status.KILLED, kill_requested_at=now, finished_at=now):
        return True
    at_work = Run.objects.filter(pk=run_id, status=Run.Status.RUNNING, kill_requested_at=None)
    kind = at_work.values_list("kind", flat=True).first()
    if kind is None or not can_kill(kind):
        return False
    return bool(at_work.update(kill_requested_at=now))


def can_kill(kind: str) -> bool:
    known = kind_named(kind)
    return known is None or known.can_kill
