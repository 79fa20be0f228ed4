from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction

from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_note_path
from inspector.runs.services import ActiveRun, interrupt_all, run_execute, run_kill
from inspector.runs.services.kill import GRACE_SECONDS, STUBBORN_SECONDS, KillEnforcer
from inspector.runs.services.silence_timer import SilenceTimer
from tests.inspector.runs.services.conftest import Register
from tests.serving import fair, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

Queued = Callable[..., Run]


@contextmanager
def at_work(run: Run) -> Iterator[None]:
    """A worker in a thread; it has ended when this has."""

    def work() -> None:
        try:
            run_execute(run_id=run.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: Run.objects.get(pk=run.pk).phase == "working")
    yield
    thread.join(10)
    assert not thread.is_alive()


def note_of(run: Run) -> Path:
    """Beside a database file only."""
    note = kill_note_path(run.pk, run.created_at)
    if note is None:
        pytest.skip("on a server, kills are in the database alone")
    return note


def endless(running: ActiveRun, run: Run) -> dict[str, Any]:
    running.begin_phase("working")
    while True:
        running.wait(0.05)


def test_a_queued_run_is_killed_at_once_and_never_runs(register: Register, queued: Queued) -> None:
    register(endless)
    run = queued()
    assert run_kill(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.finished_at is not None) == ("killed", True)
    assert not run_execute(run_id=run.pk)


def test_a_run_at_work_ends_within_two_seconds_and_cleans_up(
    register: Register, queued: Queued, tmp_path: Path
) -> None:
    draft = tmp_path / "draft"

    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        draft.write_text("half of it")
        try:
            return endless(running, run)
        except Exception:
            return {"summary": "Work that tries again does not catch its own end."}
        finally:
            draft.unlink()

    register(work)
    run = queued()
    with at_work(run):
        started = time.monotonic()
        assert run_kill(run_id=run.pk)
    assert time.monotonic() - started < fair(2)
    run.refresh_from_db()
    assert (run.status, run.error, run.result) == ("killed", "", {})
    assert not draft.exists()


def test_a_kill_is_heard_while_the_work_holds_a_transaction(register: Register, queued: Queued) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.begin_phase("working")
        running.wait(1)
        with transaction.atomic():
            Run.objects.create(kind="half-written", created_at=0)
            while True:
                running.wait(0.02)

    register(work)
    run = queued()
    with at_work(run):
        started = time.monotonic()
        run_kill(run_id=run.pk)
    assert time.monotonic() - started < fair(2)
    assert not Run.objects.filter(kind="half-written").exists()


def test_work_that_waits_for_somebody_else_is_woken(register: Register, queued: Queued) -> None:
    ours, theirs = socket.socketpair()

    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.begin_phase("working")
        with running.close_on_stop(lambda: ours.shutdown(socket.SHUT_RDWR)):
            return {"read": len(ours.recv(100))}

    register(work)
    run = queued()
    with at_work(run):
        run_kill(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "killed"
    theirs.close()


def test_a_second_kill_and_one_after_the_end_do_nothing(register: Register, queued: Queued) -> None:
    register(endless)
    run = queued()
    with at_work(run):
        assert run_kill(run_id=run.pk)
        assert not run_kill(run_id=run.pk)
    assert not run_kill(run_id=run.pk)
    assert not run_kill(run_id=run.pk + 1000)


def test_a_kill_is_heard_while_somebody_else_writes_for_long(register: Register, queued: Queued) -> None:
    heard = threading.Event()

    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        try:
            return endless(running, run)
        finally:
            heard.set()

    register(work)
    run = queued()
    with at_work(run), transaction.atomic():
        Run.objects.create(kind="somebody else", created_at=0)

        def kill() -> None:
            assert run_kill(run_id=run.pk)
            connection.close()

        thread = threading.Thread(target=kill)
        thread.start()
        assert heard.wait(60)
        thread.join()
    run.refresh_from_db()
    assert run.status == "killed"
    assert run.kill_requested_at is not None
    assert not note_of(run).exists()


def test_a_kill_that_is_only_noted_keeps_a_queued_run_from_beginning(register: Register, queued: Queued) -> None:
    register(endless)
    run = queued()
    note_of(run).parent.mkdir(exist_ok=True)
    note_of(run).touch()
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.phase) == ("killed", "")


def test_a_note_about_a_run_of_a_database_that_is_gone_counts_for_nothing(register: Register, queued: Queued) -> None:
    register(lambda running, run: {"summary": "Done."})
    run = queued()
    note = note_of(run).with_name(f"{run.pk}-1")
    note.parent.mkdir(exist_ok=True)
    note.touch()
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "completed"


def test_a_worker_that_is_stopped_lets_go_of_its_runs(register: Register, queued: Queued) -> None:
    register(endless)
    run = queued()
    with at_work(run):
        interrupt_all()
    run.refresh_from_db()
    assert run.status == "failed"
    assert "Lucid was stopped while it ran" in run.error


def test_a_run_that_begins_while_its_worker_stops_does_no_work(register: Register, queued: Queued) -> None:
    register(endless)
    run = queued()
    interrupt_all()
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.phase) == ("failed", "")
    assert "Lucid was stopped while it ran" in run.error


def seconds(of: list[float]) -> Callable[[], float]:
    return lambda: of[0]


def test_a_kill_ends_a_run_whose_worker_has_died(register: Register, queued: Queued) -> None:
    register(endless)
    folder = settings.LUCID_HOME / "workers"
    folder.mkdir(exist_ok=True)
    (folder / "1-dead").touch()
    run = queued(status="running", worker="1-dead", heartbeat_at=1)
    assert run_kill(run_id=run.pk)
    wait_until(lambda: Run.objects.get(pk=run.pk).status == "killed")
    run.refresh_from_db()
    assert run.reason == "its worker process ended"
    (folder / "1-dead").unlink(missing_ok=True)


def test_a_worker_that_is_silent_after_a_kill_has_a_moment(queued: Queued) -> None:
    now = [0.0]
    run = queued(status="running", worker="7-elsewhere", heartbeat_at=1, kill_requested_at=1)
    kills = KillEnforcer(SilenceTimer(seconds(now)), SilenceTimer(seconds(now)))
    assert not kills.enforce(run)
    now[0] = GRACE_SECONDS - 0.1
    assert not kills.enforce(run)
    now[0] = GRACE_SECONDS
    assert kills.enforce(run)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("killed", "its worker gave no sign of life after the kill")


def test_work_that_beats_and_does_not_obey_has_a_minute(queued: Queued) -> None:
    now = [0.0]
    run = queued(status="running", worker="7-elsewhere", heartbeat_at=1, kill_requested_at=1)
    kills = KillEnforcer(SilenceTimer(seconds(now)), SilenceTimer(seconds(now)))
    while now[0] < STUBBORN_SECONDS:
        assert not kills.enforce(run)
        now[0] += 3
        Run.objects.filter(pk=run.pk).update(heartbeat_at=int(now[0]) + 2)
        run.refresh_from_db()
    assert kills.enforce(run)
    run.refresh_from_db()
    assert (run.status, "did not stop within a minute" in run.reason) == ("killed", True)


def test_a_kill_that_was_asked_for_before_is_seen_to_again(queued: Queued) -> None:
    folder = settings.LUCID_HOME / "workers"
    folder.mkdir(exist_ok=True)
    (folder / "2-dead").touch()
    run = queued(status="running", worker="2-dead", heartbeat_at=1, kill_requested_at=1)
    assert not run_kill(run_id=run.pk)
    wait_until(lambda: Run.objects.get(pk=run.pk).status == "killed")
    (folder / "2-dead").unlink(missing_ok=True)
