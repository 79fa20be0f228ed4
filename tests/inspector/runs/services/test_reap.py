from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings

from inspector.runs.models import Run
from inspector.runs.selectors.presence import has_ended, list_processes
from inspector.runs.services import run_create, run_execute
from inspector.runs.services.presence import process_name, sweep_ended_processes
from inspector.runs.services.reap import SILENT_SECONDS, UNSENT_SECONDS, UNTAKEN_SECONDS, Reaper
from inspector.runs.services.silence_timer import SilenceTimer
from inspector.web.clock import now_ms
from tests.inspector.runs.services.conftest import Register
from tests.queued import messages
from tests.serving import ROOT, environment, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

Queued = Callable[..., Run]

WORKER = """
import sys
import time
import django
django.setup()
from inspector.runs.models import Run
from inspector.runs.services.presence import process_name
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.local_runs import register
name = process_name()
with register(ActiveRun(Run(pk=int(sys.argv[1]), worker=name))):
    print(name, flush=True)
    time.sleep(600)
"""


@contextmanager
def another_process(run_id: int = 0) -> Iterator[tuple[str, Callable[[signal.Signals], None]]]:
    """Its name, and how to send it a signal."""
    env = environment(settings.LUCID_HOME, DJANGO_SETTINGS_MODULE="inspector.settings")
    command = [sys.executable, "-c", WORKER, str(run_id)]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:

        def tell(number: signal.Signals) -> None:
            os.kill(process.pid, number)
            if number == signal.SIGKILL:
                process.wait(60)

        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), tell
        finally:
            process.kill()


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def nobody_gone() -> None:
    """What other tests have killed is forgotten."""
    list(sweep_ended_processes())


@pytest.fixture
def reaper(clock: Clock) -> Reaper:
    return Reaper(SilenceTimer(clock), SilenceTimer(clock), SilenceTimer(clock))


def running(queued: Queued, *, worker: str, **fields: object) -> Run:
    now = now_ms()
    return queued(status="running", worker=worker, started_at=now, heartbeat_at=now, **fields)


def heard(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(heartbeat_at=(Run.objects.get(pk=run.pk).heartbeat_at or 0) + 1)


def state(run: Run) -> str:
    run.refresh_from_db()
    return run.status


def test_a_run_whose_process_was_killed_fails_with_a_reason(queued: Queued, reaper: Reaper) -> None:
    with another_process() as (name, tell):
        run = running(queued, worker=name)
        assert name in {process.name for process in list_processes()}
        assert (reaper.needs_reaping(), reaper.reap()) == (False, 0)
        tell(signal.SIGKILL)
        assert has_ended(name)
        assert (reaper.needs_reaping(), reaper.reap()) == (True, 1)
    assert state(run) == "failed"
    assert (run.reason, "Retry" in run.error) == ("its worker process ended", True)
    assert run.finished_at is not None
    assert name not in set(sweep_ended_processes())


def test_a_run_of_a_process_that_beats_is_left_alone_although_the_database_hears_nothing(
    queued: Queued, reaper: Reaper, clock: Clock
) -> None:
    run = running(queued, worker="")
    with another_process(run.pk) as (name, _):
        Run.objects.filter(pk=run.pk).update(worker=name)
        file = settings.LUCID_HOME / "workers" / name
        for _ in range(3):
            before = file.read_bytes()
            assert not reaper.needs_reaping()
            clock.now += SILENT_SECONDS - 1
            wait_until(lambda before=before: file.read_bytes() != before)  # type: ignore[misc]
        assert (reaper.reap(), state(run)) == (0, "running")


def test_a_process_that_hangs_is_given_up(queued: Queued, reaper: Reaper, clock: Clock) -> None:
    run = running(queued, worker="")
    with another_process(run.pk) as (name, tell):
        Run.objects.filter(pk=run.pk).update(worker=name)
        tell(signal.SIGSTOP)
        assert not reaper.needs_reaping()
        clock.now += SILENT_SECONDS
        assert (reaper.needs_reaping(), reaper.reap(), state(run)) == (True, 1, "failed")


def test_a_run_that_a_living_process_no_longer_works_on_is_given_up(
    queued: Queued, reaper: Reaper, clock: Clock
) -> None:
    run = running(queued, worker=process_name())
    assert not reaper.needs_reaping()
    clock.now += SILENT_SECONDS
    assert (reaper.reap(), state(run)) == (1, "failed")


def test_a_worker_elsewhere_is_given_up_when_it_has_been_silent_before_our_eyes(
    queued: Queued, reaper: Reaper, clock: Clock
) -> None:
    speaks, silent = running(queued, worker="77-elsewhere"), running(queued, worker="78-elsewhere")
    assert (reaper.needs_reaping(), reaper.reap()) == (False, 0)
    clock.now += SILENT_SECONDS + 1
    heard(speaks)
    assert (reaper.needs_reaping(), reaper.reap()) == (True, 1)
    assert (state(speaks), state(silent)) == ("running", "failed")
    assert silent.reason == "no sign of life for 31 seconds"


@pytest.mark.parametrize("hours", [-48, -1, 1, 48])
def test_a_clock_that_jumps_neither_ends_a_run_nor_keeps_a_lost_one(
    queued: Queued, reaper: Reaper, clock: Clock, hours: int
) -> None:
    """Whichever clock it is: what was written by one that is so many hours off stays for ever."""
    time_ms = now_ms() + hours * 3_600_000
    speaks, silent = running(queued, worker="77-elsewhere"), running(queued, worker="78-elsewhere")
    Run.objects.update(heartbeat_at=time_ms, started_at=time_ms, created_at=time_ms)
    assert (reaper.needs_reaping(), reaper.reap()) == (False, 0)
    clock.now += SILENT_SECONDS
    heard(speaks)
    assert (reaper.needs_reaping(), reaper.reap()) == (True, 1)
    assert (state(speaks), state(silent)) == ("running", "failed")


def test_a_run_that_was_to_be_killed_is_killed(queued: Queued, reaper: Reaper, clock: Clock) -> None:
    run = running(queued, worker="78-elsewhere", kill_requested_at=now_ms())
    assert (reaper.needs_reaping(), reaper.reap(), state(run)) == (True, 0, "running")
    clock.now += SILENT_SECONDS
    assert (reaper.reap(), state(run)) == (1, "killed")


def test_an_import_that_was_cut_off_says_that_nothing_is_lost(queued: Queued, reaper: Reaper, clock: Clock) -> None:
    run = running(queued, worker="78-elsewhere", kind="import")
    reaper.needs_reaping()
    clock.now += SILENT_SECONDS
    reaper.reap()
    assert state(run) == "failed"
    assert "Nothing is lost" in run.error


def test_a_queued_run_whose_message_was_lost_is_queued_again(
    register: Register, queued: Queued, reaper: Reaper, clock: Clock
) -> None:
    register(lambda running, run: {})
    run = queued(queued_at=now_ms())
    assert not reaper.needs_reaping()
    clock.now += UNTAKEN_SECONDS
    assert (reaper.needs_reaping(), reaper.reap()) == (True, 1)
    assert (len(messages()), state(run)) == (1, "queued")
    assert (reaper.needs_reaping(), reaper.reap()) == (False, 0), "it was only just sent"
    assert run_execute(run_id=run.pk)


def test_a_clock_that_was_set_back_does_not_keep_a_lost_message_lost(
    register: Register, queued: Queued, reaper: Reaper, clock: Clock
) -> None:
    register(lambda running, run: {})
    queued(queued_at=now_ms() + 10 * 3600 * 1000)
    reaper.needs_reaping()
    clock.now += UNTAKEN_SECONDS
    assert (reaper.reap(), len(messages())) == (1, 1)


def test_while_messages_wait_nothing_is_taken_for_lost(register: Register, reaper: Reaper, clock: Clock) -> None:
    register(lambda running, run: {})
    run_create(kind="test")
    reaper.needs_reaping()
    clock.now += UNTAKEN_SECONDS
    assert reaper.reap() == 0
    assert len(messages()) == 1


def test_a_run_that_could_not_be_queued_is_queued_later(
    register: Register, queued: Queued, reaper: Reaper, clock: Clock
) -> None:
    register(lambda running, run: {})
    run = queued()
    assert run.queued_at is None
    reaper.needs_reaping()
    clock.now += UNSENT_SECONDS
    assert reaper.reap() == 1
    assert len(messages()) == 1
