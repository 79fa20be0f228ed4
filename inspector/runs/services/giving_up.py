"""Ends a run that nobody works on any more, or that does not end although it was killed. Whoever did work on it has
lost its lease: it hears so when it next looks, and what it writes afterwards reaches nothing."""

from __future__ import annotations

from inspector.runs.kinds import LOST, kind_named
from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_asked_at
from inspector.runs.services.kill_notes import kill_forget
from inspector.structured import get_logger
from inspector.web.clock import now_ms

logger = get_logger(__name__)


def run_give_up(*, run: Run, reason: str, even_if_heard: bool = False) -> bool:
    """Not if it has ended or been given up since it was read; nor if it has given a sign of life, unless that does not
    matter."""
    same = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, worker=run.worker)
    if not even_if_heard:
        same = same.filter(heartbeat_at=run.heartbeat_at)
    asked = kill_asked_at(run)
    if asked is not None:
        given_up = same.update(status=Run.Status.KILLED, reason=reason, kill_requested_at=asked, finished_at=now_ms())
    else:
        kind = kind_named(run.kind)
        sentence = kind.when_lost if kind else LOST
        given_up = same.update(status=Run.Status.FAILED, error=sentence, reason=reason, finished_at=now_ms())
    if given_up:
        kill_forget(run)
        logger.warning("run_given_up", run=run.pk, kind=run.kind, reason=reason)
    return bool(given_up)
