"""Finds runs that lost their worker and queued runs that lost their message, so that nothing seems to run for ever.

A process of this home that has ended is recognised at once by its lock. Runs of any other process are given up after
half a minute without a sign of life, by the clock of the process that watches. It must have watched for that long, so
every worker and watcher looks all the time, and one of them acts."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from inspector.locks.database_clock import database_ms
from inspector.runs.models import Run, Worker
from inspector.runs.selectors.kills import kill_requested_at
from inspector.runs.selectors.presence import lease_of
from inspector.runs.services.give_up import run_give_up
from inspector.runs.services.kill import GONE, KillEnforcer
from inspector.runs.services.presence import FORGET_MS, has_ended_processes, sweep_ended_processes
from inspector.runs.services.run_queue import messages_waiting, run_enqueue
from inspector.runs.services.silence_timer import SilenceTimer
from inspector.structured import get_logger
from inspector.web.clock import now_ms

SILENT_SECONDS = 30.0
UNSENT_SECONDS = 5.0
UNTAKEN_SECONDS = 30.0
MOST_QUEUED = 200

logger = get_logger(__name__)


class Reaper:
    """What this process has observed of the runs under way."""

    def __init__(
        self,
        silence: SilenceTimer | None = None,
        queued: SilenceTimer | None = None,
        killed: SilenceTimer | None = None,
    ) -> None:
        self._silence = silence or SilenceTimer()
        self._queued = queued or SilenceTimer()
        self._kills = KillEnforcer(self._silence, killed)

    def needs_reaping(self) -> bool:
        """Whether there is something to do. Reads only."""
        lost_runs, unsent_runs = self._lost_runs(), self._unsent_runs()
        self._silence.forget_others({run.pk for run in self._running_runs()})
        return bool(lost_runs or unsent_runs) or has_ended_processes()

    def reap(self) -> int:
        """Gives up lost runs, ends killed ones, and queues again those without a message. Returns how many."""
        count = sum(self._give_up_ended())
        for run, silent in self._lost_runs():
            reason = f"no sign of life for {int(silent)} seconds"
            is_killed = kill_requested_at(run) is not None
            count += self._kills.enforce(run) if is_killed else run_give_up(run=run, reason=reason)
        _delete_old_workers()
        return count + self._requeue()

    def _give_up_ended(self) -> Iterable[bool]:
        for worker in sweep_ended_processes():
            for run in self._running_runs().filter(worker=worker):
                yield run_give_up(run=run, reason=GONE)

    def _lost_runs(self) -> list[tuple[Run, float]]:
        """With the seconds of silence. Runs with a kill request are always among them."""
        silences = [(run, self._silence.seconds_unchanged(run.pk, lease_of(run))) for run in self._running_runs()]
        return [
            (run, silent) for run, silent in silences if silent >= SILENT_SECONDS or kill_requested_at(run) is not None
        ]

    def _unsent_runs(self) -> list[Run]:
        """Queued runs that may have no message: it was never sent, or was sent long ago."""
        queued = list(Run.objects.filter(status=Run.Status.QUEUED).only("queued_at").order_by("pk")[:MOST_QUEUED])
        waits = [(run, self._queued.seconds_unchanged(run.pk, run.queued_at)) for run in queued]
        self._queued.forget_others({run.pk for run in queued})
        return [
            run for run, seconds in waits if seconds >= (UNSENT_SECONDS if run.queued_at is None else UNTAKEN_SECONDS)
        ]

    def _requeue(self) -> int:
        """Sending a message twice does no harm: a run is claimed once."""
        unsent_runs = self._unsent_runs()
        if not unsent_runs or messages_waiting() != 0:
            return 0
        sent = 0
        for run in unsent_runs:
            same_run = Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED, queued_at=run.queued_at)
            if same_run.update(queued_at=now_ms()):
                logger.warning("run_queued_again", run=run.pk)
                sent += run_enqueue(run.pk)
        return sent

    @staticmethod
    def _running_runs() -> QuerySet[Run]:
        return Run.objects.filter(status=Run.Status.RUNNING).defer("turns", "result")


def _delete_old_workers() -> None:
    Worker.objects.filter(seen_at__lt=database_ms() - FORGET_MS).delete()


_reaper = Reaper()


def runs_need_reaping() -> bool:
    """Whether there is something to reap. Call it every few seconds."""
    return _reaper.needs_reaping()


def runs_reap() -> int:
    return _reaper.reap()
