"""Ends a run that nobody works on any more, or that does not end although it was killed. A worker that still works on
it has lost its lease: it stops when it notices, and what it writes until then changes nothing."""

from __future__ import annotations

from inspector.runs.kinds import WHEN_LOST, find_run_kind
from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_requested_at
from inspector.runs.services.kill_notes import kill_forget
from inspector.structured import get_logger
from inspector.web.clock import now_ms

logger = get_logger(__name__)


def run_give_up(*, run: Run, reason: str, even_if_heard: bool = False) -> bool:
    """Does nothing if the run has ended or was given up since it was read, or has given a sign of life, unless
    `even_if_heard`."""
    same_run = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, worker=run.worker)
    if not even_if_heard:
        same_run = same_run.filter(heartbeat_at=run.heartbeat_at)
    kill_requested = kill_requested_at(run)
    if kill_requested is not None:
        updated = same_run.update(
            status=Run.Status.KILLED, reason=reason, kill_requested_at=kill_requested, finished_at=now_ms()
        )
    else:
        kind = find_run_kind(run.kind)
        sentence = kind.when_lost if kind else WHEN_LOST
        updated = same_run.update(status=Run.Status.FAILED, error=sentence, reason=reason, finished_at=now_ms())
    if updated:
        kill_forget(run)
        logger.warning("run_given_up", run=run.pk, kind=run.kind, reason=reason)
    return bool(updated)
