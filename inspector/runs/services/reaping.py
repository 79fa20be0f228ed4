"""Runs whose worker is gone, and queued runs whose message is: nothing is shown as under way for ever.

A process of this home that has ended is known at once by its lock. Any other is given up when its runs have given no
sign of life for half a minute, by the clock of whoever looks; that takes a process which has looked for so long, so
each of them looks all the time, and one of them acts."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from inspector.locks.database_clock import database_ms
from inspector.runs.models import Run, Worker
from inspector.runs.selectors.kills import kill_asked_at
from inspector.runs.selectors.presence import lease_of
from inspector.runs.services.giving_up import run_give_up
from inspector.runs.services.killing import GONE, Kills
from inspector.runs.services.presence import FORGET_MS, absent, anybody_gone
from inspector.runs.services.queueing import messages_waiting, run_enqueue
from inspector.runs.services.silence import Silence
from inspector.structured import get_logger
from inspector.web.clock import now_ms

SILENT_SECONDS = 30.0
UNSENT_SECONDS = 5.0
UNTAKEN_SECONDS = 30.0
MOST_QUEUED = 200

logger = get_logger(__name__)


class Reaper:
    """What this process has seen of the runs under way."""

    def __init__(
        self, silence: Silence | None = None, queued: Silence | None = None, killed: Silence | None = None
    ) -> None:
        self._silence = silence or Silence()
        self._queued = queued or Silence()
        self._kills = Kills(self._silence, killed)

    def look(self) -> bool:
        """Reads only. Whether there is something to be done."""
        lost, forgotten = self._lost(), self._forgotten()
        self._silence.forget_others({run.pk for run in self._running()})
        return bool(lost or forgotten) or anybody_gone()

    def reap(self) -> int:
        """Gives up what is lost, ends what was killed, and queues again what was forgotten; says how many runs that
        were."""
        done = sum(self._reap_absent())
        for run, silent in self._lost():
            reason = f"no sign of life for {int(silent)} seconds"
            killed = kill_asked_at(run) is not None
            done += self._kills.enforce(run) if killed else run_give_up(run=run, reason=reason)
        _forget_workers()
        return done + self._requeue()

    def _reap_absent(self) -> Iterable[bool]:
        for worker in absent():
            for run in self._running().filter(worker=worker):
                yield run_give_up(run=run, reason=GONE)

    def _lost(self) -> list[tuple[Run, float]]:
        """With the seconds of silence. Runs that were killed are always looked after."""
        seen = [(run, self._silence.of(run.pk, lease_of(run))) for run in self._running()]
        return [(run, silent) for run, silent in seen if silent >= SILENT_SECONDS or kill_asked_at(run) is not None]

    def _forgotten(self) -> list[Run]:
        """Queued runs that may have no message: never sent, or sent long ago."""
        queued = list(Run.objects.filter(status=Run.Status.QUEUED).only("queued_at").order_by("pk")[:MOST_QUEUED])
        waited = [(run, self._queued.of(run.pk, run.queued_at)) for run in queued]
        self._queued.forget_others({run.pk for run in queued})
        return [
            run for run, seconds in waited if seconds >= (UNSENT_SECONDS if run.queued_at is None else UNTAKEN_SECONDS)
        ]

    def _requeue(self) -> int:
        """To send a message twice does no harm: a run is claimed once."""
        forgotten = self._forgotten()
        if not forgotten or messages_waiting() != 0:
            return 0
        sent = 0
        for run in forgotten:
            same = Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED, queued_at=run.queued_at)
            if same.update(queued_at=now_ms()):
                logger.warning("run_queued_again", run=run.pk)
                sent += run_enqueue(run.pk)
        return sent

    @staticmethod
    def _running() -> QuerySet[Run]:
        return Run.objects.filter(status=Run.Status.RUNNING).defer("turns", "result")


def _forget_workers() -> None:
    Worker.objects.filter(seen_at__lt=database_ms() - FORGET_MS).delete()


_reaper = Reaper()


def runs_watch() -> bool:
    """Whether something under way needs looking after. To be asked every few seconds."""
    return _reaper.look()


def runs_reap() -> int:
    return _reaper.reap()
