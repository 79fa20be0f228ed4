"""Runs whose worker is gone, and queued runs whose message is: nothing is shown as under way for ever.

A process of this home that has ended is known at once by its lock. One of another machine is given up when it has been
silent for half a minute. One that is here and silent, because the database was held or the machine asleep, is given
more time."""

from __future__ import annotations

from inspector.models import Run
from inspector.selectors.kills import kill_asked_at
from inspector.services.run_kinds import LOST, kind_named
from inspector.services.runs.killing import kill_forget
from inspector.services.runs.presence import absent, is_present
from inspector.services.runs.queueing import messages_waiting, run_enqueue
from inspector.structured import get_logger
from inspector.web.clock import now_ms

SILENT_MS = 30_000
STUCK_MS = 300_000
UNSENT_MS = 5_000
UNTAKEN_MS = 30_000

logger = get_logger(__name__)


def runs_reap() -> int:
    """Gives up what is lost and queues again what was forgotten; says how many runs that were."""
    return _reap_absent() + _reap_silent() + _requeue_forgotten()


def _reap_absent() -> int:
    given_up = 0
    for worker in absent():
        for run in Run.objects.filter(status=Run.Status.RUNNING, worker=worker).defer("turns", "result"):
            given_up += _give_up(run, "its worker process ended")
    return given_up


def _reap_silent() -> int:
    now = now_ms()
    given_up = 0
    running = Run.objects.filter(status=Run.Status.RUNNING, heartbeat_at__lt=now - SILENT_MS)
    for run in running.defer("turns", "result"):
        silent = now - (run.heartbeat_at or now)
        if silent > STUCK_MS or not is_present(run.worker):
            given_up += _give_up(run, f"no sign of life for {silent // 1000} seconds")
    return given_up


def _give_up(run: Run, reason: str) -> int:
    """Not if it has spoken, ended or been given up since we looked."""
    same = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, worker=run.worker, heartbeat_at=run.heartbeat_at)
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
    return given_up


def _requeue_forgotten() -> int:
    """Queued runs without a message. To send one twice does no harm: a run is claimed once."""
    now = now_ms()
    queued = Run.objects.filter(status=Run.Status.QUEUED)
    unsent = queued.filter(queued_at=None, created_at__lt=now - UNSENT_MS)
    untaken = queued.filter(queued_at__lt=now - UNTAKEN_MS)
    forgotten = [*unsent.values_list("pk", "queued_at")[:100], *untaken.values_list("pk", "queued_at")[:100]]
    if not forgotten or messages_waiting() != 0:
        return 0
    sent = 0
    for run_id, queued_at in forgotten:
        if queued.filter(pk=run_id, queued_at=queued_at).update(queued_at=now):
            logger.warning("run_queued_again", run=run_id)
            sent += run_enqueue(run_id)
    return sent
