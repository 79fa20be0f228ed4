from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings

from inspector.models import Run
from inspector.services.runs import run_create, run_execute, runs_reap
from inspector.services.runs.presence import absent, is_present, own_name
from inspector.services.runs.reaping import SILENT_MS, STUCK_MS, UNTAKEN_MS
from inspector.web.clock import now_ms
from tests.inspector.queued import messages
from tests.inspector.services.runs.conftest import Register
from tests.serving import ROOT, environment

pytestmark = pytest.mark.django_db(transaction=True)

Queued = Callable[..., Run]

WORKER = """
import time
import django
django.setup()
from inspector.services.runs.presence import own_name
print(own_name(), flush=True)
time.sleep(60)
"""


@contextmanager
def another_process() -> Iterator[tuple[str, Callable[[], None]]]:
    """Its name, and how to end it without a warning."""
    env = environment(settings.LUCID_HOME, DJANGO_SETTINGS_MODULE="inspector.settings")
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:

        def end() -> None:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(10)

        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), end
        finally:
            process.kill()


def running(queued: Queued, *, worker: str, silent: int = 0, **fields: object) -> Run:
    now = now_ms()
    return queued(status="running", worker=worker, started_at=now - silent, heartbeat_at=now - silent, **fields)


def state(run: Run) -> str:
    run.refresh_from_db()
    return run.status


def test_a_run_whose_process_was_killed_fails_with_a_reason(queued: Queued) -> None:
    with another_process() as (name, end):
        run = running(queued, worker=name)
        assert is_present(name)
        assert runs_reap() == 0
        end()
        assert not is_present(name)
        assert runs_reap() == 1
    assert state(run) == "failed"
    assert (run.reason, "Retry" in run.error) == ("its worker process ended", True)
    assert run.finished_at is not None
    assert name not in set(absent())


def test_a_run_of_a_living_process_is_left_alone(queued: Queued) -> None:
    with another_process() as (name, _):
        run = running(queued, worker=name, silent=SILENT_MS + 5000)
        assert (runs_reap(), state(run)) == (0, "running")
        stuck = running(queued, worker=name, silent=STUCK_MS + 5000)
        assert (runs_reap(), state(stuck)) == (1, "failed")


def test_this_process_is_there(queued: Queued) -> None:
    run = running(queued, worker=own_name(), silent=SILENT_MS + 5000)
    assert (runs_reap(), state(run)) == (0, "running")


def test_a_worker_elsewhere_is_given_up_when_it_is_silent(queued: Queued) -> None:
    spoke = running(queued, worker="77-elsewhere", silent=SILENT_MS - 10_000)
    silent = running(queued, worker="78-elsewhere", silent=SILENT_MS + 1000)
    assert runs_reap() == 1
    assert (state(spoke), state(silent)) == ("running", "failed")
    assert silent.reason == "no sign of life for 31 seconds"


def test_a_run_that_was_to_be_killed_is_killed(queued: Queued) -> None:
    run = running(queued, worker="78-elsewhere", silent=SILENT_MS + 1000, kill_requested_at=now_ms())
    runs_reap()
    assert state(run) == "killed"


def test_an_import_that_was_cut_off_says_that_nothing_is_lost(queued: Queued) -> None:
    run = running(queued, worker="78-elsewhere", silent=SILENT_MS + 1000, kind="import")
    runs_reap()
    assert state(run) == "failed"
    assert "Nothing is lost" in run.error


def test_a_queued_run_whose_message_was_lost_is_queued_again(register: Register, queued: Queued) -> None:
    register(lambda running, run: {})
    run = queued(queued_at=now_ms() - UNTAKEN_MS - 1000)
    assert runs_reap() == 1
    assert (len(messages()), state(run)) == (1, "queued")
    assert runs_reap() == 0, "it was only just sent"
    assert run_execute(run_id=run.pk)


def test_while_messages_wait_nothing_is_taken_for_lost(register: Register) -> None:
    register(lambda running, run: {})
    run = run_create(kind="test")
    Run.objects.filter(pk=run.pk).update(queued_at=now_ms() - UNTAKEN_MS - 1000)
    assert runs_reap() == 0
    assert len(messages()) == 1


def test_a_run_that_could_not_be_queued_is_queued_later(register: Register, queued: Queued) -> None:
    register(lambda running, run: {})
    run = queued(created_at=now_ms() - 10_000)
    assert run.queued_at is None
    assert runs_reap() == 1
    assert len(messages()) == 1
