from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction

from inspector.runs.models import Run
from inspector.runs.services import RunError, run_create, run_retry
from tests.inspector.runs.services.conftest import Register
from tests.queued import messages

pytestmark = pytest.mark.django_db(transaction=True)

Queued = Callable[..., Run]


def test_a_new_run_is_a_row_and_then_a_message(register: Register) -> None:
    register(lambda running, run: {})
    with transaction.atomic():
        run = run_create(kind="test", target="a session", target_url="/sessions/a/", parameters={"n": 1})
        assert messages() == []
    assert len(messages()) == 1
    run.refresh_from_db()
    assert (run.status, run.target, run.target_url, run.parameters) == ("queued", "a session", "/sessions/a/", {"n": 1})
    assert run.queued_at is not None


def test_what_is_rolled_back_is_not_queued(register: Register) -> None:
    register(lambda running, run: {})
    with transaction.atomic():
        run_create(kind="test")
        transaction.set_rollback(True)
    assert messages() == []
    assert not Run.objects.exists()


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(RunError, match="seance"):
        run_create(kind="seance")


def test_of_a_single_kind_there_is_one_under_way(register: Register) -> None:
    register(lambda running, run: {}, single=True)
    first = run_create(kind="test")
    assert run_create(kind="test") == first
    assert run_create(kind="test", target="elsewhere") != first
    Run.objects.filter(pk=first.pk).update(status="completed")
    assert run_create(kind="test") != first


def test_a_retry_is_a_run_of_its_own_with_the_same_task(register: Register, queued: Queued) -> None:
    register(lambda running, run: {})
    failed = queued(status="failed", error="no", target="x", target_url="/x/", parameters={"n": 1}, finished_at=1)
    second = run_retry(run=failed)
    assert (second.kind, second.target, second.target_url, second.parameters) == ("test", "x", "/x/", {"n": 1})
    assert (second.attempt, second.retry_of, second.status, second.error) == (2, failed, "queued", "")
    assert run_retry(run=failed) == second
    Run.objects.filter(pk=second.pk).update(status="failed")
    third = run_retry(run=Run.objects.get(pk=second.pk))
    assert third.attempt == 3


def test_a_run_under_way_is_not_retried(register: Register, queued: Queued) -> None:
    register(lambda running, run: {})
    with pytest.raises(RunError, match="Kill it first"):
        run_retry(run=queued())


def test_of_many_who_start_a_single_run_at_once_all_get_the_same(register: Register) -> None:
    register(lambda running, run: {}, single=True)
    gate, results = threading.Barrier(6), []

    def create() -> None:
        gate.wait()
        try:
            results.append(run_create(kind="test", target="x").pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [Run.objects.get().pk] * 6
    assert len(messages()) == 1


def test_the_database_itself_takes_no_second_single_run(register: Register) -> None:
    register(lambda running, run: {}, single=True)
    first = run_create(kind="test", target="x" * 4000)
    twin = Run(kind="test", target=first.target, single_key=first.single_key, created_at=1, status="running")
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save()
    Run.objects.filter(pk=first.pk).update(status="failed")
    twin.save()


def test_a_single_run_whose_worker_has_died_keeps_nobody_from_starting_it_again(register: Register) -> None:
    register(lambda running, run: {}, single=True)
    lost = run_create(kind="test")
    folder = settings.LUCID_HOME / "workers"
    folder.mkdir(exist_ok=True)
    (folder / "1-dead").touch()
    Run.objects.filter(pk=lost.pk).update(status="running", worker="1-dead", heartbeat_at=1)
    assert run_create(kind="test") != lost
    lost.refresh_from_db()
    assert (lost.status, lost.reason) == ("failed", "its worker process ended")
    (folder / "1-dead").unlink()
