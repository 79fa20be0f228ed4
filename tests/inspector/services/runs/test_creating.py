from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from inspector.models import Run
from inspector.services.runs import RunError, run_create, run_retry
from tests.inspector.queued import messages
from tests.inspector.services.runs.conftest import Register

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
    again = run_retry(run=failed)
    assert (again.kind, again.target, again.target_url, again.parameters) == ("test", "x", "/x/", {"n": 1})
    assert (again.attempt, again.retry_of, again.status, again.error) == (2, failed, "queued", "")
    assert run_retry(run=failed) == again
    Run.objects.filter(pk=again.pk).update(status="failed")
    third = run_retry(run=Run.objects.get(pk=again.pk))
    assert third.attempt == 3


def test_a_run_under_way_is_not_retried(register: Register, queued: Queued) -> None:
    register(lambda running, run: {})
    with pytest.raises(RunError, match="Kill it first"):
        run_retry(run=queued())
