from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from structlog.testing import capture_logs

from inspector.budget.selectors import budget_at
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError, Work, run_execute, run_perform
from inspector.web.clock import now_ms
from tests.inspector.runs.services.conftest import Register

pytestmark = pytest.mark.django_db(transaction=True)

Queued = Callable[..., Run]


def ended(run: Run) -> Run:
    run.refresh_from_db()
    return run


def noting(calls: list[int]) -> Work:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        calls.append(run.pk)
        return {}

    return work


def test_a_run_tells_what_came_of_it(register: Register, queued: Queued) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.begin_phase("asking", total=2, unit="messages")
        running.advance(files=1, files_total=4)
        running.add_turn("Looked at it.", tools={"Read": 2}, files=["a.py"])
        running.spend(model="small", input_tokens=10, cache_read=100, cache_write=5, output_tokens=7, cost=0.25)
        running.spend(output_tokens=3, cost=0.25)
        running.advance()
        return {"summary": "All well.", "seen": run.parameters["see"]}

    register(work)
    run = queued(parameters={"see": 3})
    assert run_execute(run_id=run.pk)
    run = ended(run)
    assert (run.status, run.summary, run.result) == ("completed", "All well.", {"summary": "All well.", "seen": 3})
    assert (run.phase, run.done, run.total, run.unit, run.progress) == (
        "asking",
        2,
        2,
        "messages",
        {"files": 1, "files_total": 4},
    )
    assert [(turn["number"], turn["tools"], turn["files"]) for turn in run.turns] == [(1, {"Read": 2}, ["a.py"])]
    assert (run.input_tokens, run.cache_read_tokens, run.cache_write_tokens, run.output_tokens) == (10, 100, 5, 10)
    assert (run.model, run.cost) == ("small", 0.5)
    assert run.started_at is not None
    assert run.finished_at is not None
    assert run.started_at <= run.finished_at


def test_a_message_that_comes_twice_runs_once(register: Register, queued: Queued) -> None:
    calls: list[int] = []
    register(noting(calls))
    run = queued()
    assert [run_execute(run_id=run.pk), run_execute(run_id=run.pk)] == [True, False]
    assert calls == [run.pk]


def test_of_many_workers_with_the_same_message_one_gets_the_run(register: Register, queued: Queued) -> None:
    calls: list[int] = []
    register(noting(calls))
    run, gate = queued(), threading.Barrier(6)

    def worker() -> None:
        gate.wait()
        try:
            run_execute(run_id=run.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=worker) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [run.pk]
    assert ended(run).status == "completed"


def test_a_failure_is_a_sentence_and_a_reason_and_the_log_has_the_rest(register: Register, queued: Queued) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.begin_phase("thinking")
        raise ValueError("seven is not a colour\nand more")

    register(work)
    run = queued()
    with capture_logs() as logs:
        run_execute(run_id=run.pk)
    run = ended(run)
    assert (run.status, run.phase, run.reason) == ("failed", "thinking", "ValueError: seven is not a colour")
    assert "Retry" in run.error
    assert "Traceback" not in run.error + run.reason
    (logged,) = [line for line in logs if line["event"] == "run_failed"]
    assert isinstance(logged["exc_info"], ValueError)


def test_work_may_say_in_its_own_words_what_to_do(register: Register, queued: Queued) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        raise RunError("The session is gone. Import it again.", "no row 7")

    register(work)
    run = queued()
    with capture_logs() as logs:
        run_execute(run_id=run.pk)
    assert (ended(run).error, run.reason) == ("The session is gone. Import it again.", "no row 7")
    (logged,) = [line for line in logs if line["event"] == "run_failed"]
    assert (logged["log_level"], "exc_info" in logged) == ("info", False)


def test_work_that_fails_may_leave_something_to_be_shown(register: Register, queued: Queued) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        raise RunError("The API refused it.", result={"requests": ["Asked once."]})

    register(work)
    run = queued()
    run_execute(run_id=run.pk)
    assert (ended(run).status, run.result) == ("failed", {"requests": ["Asked once."]})


def test_a_result_that_cannot_be_stored_is_a_failure(register: Register, queued: Queued) -> None:
    register(lambda running, run: {"file": object()})
    run = queued()
    run_execute(run_id=run.pk)
    assert ended(run).status == "failed"


def test_a_kind_that_nobody_knows_fails(queued: Queued) -> None:
    run = queued(kind="seance")
    run_execute(run_id=run.pk)
    assert ended(run).status == "failed"
    assert "“seance”" in run.error


def test_a_run_that_was_given_up_stops_and_stays_as_it_was_left(register: Register, queued: Queued) -> None:
    ends = []

    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        Run.objects.filter(pk=run.pk).update(status="failed", error="given up")
        try:
            while True:
                running.wait(0.05)
        finally:
            ends.append(run.pk)

    register(work)
    run = queued()
    run_execute(run_id=run.pk)
    assert (ended(run).status, run.error, ends) == ("failed", "given up", [run.pk])


def test_old_runs_of_a_kind_are_forgotten(register: Register, queued: Queued) -> None:
    register(lambda running, run: {}, keep=3)
    runs = [queued() for _ in range(6)]
    for run in runs:
        run_execute(run_id=run.pk)
    waiting = queued()
    assert list(Run.objects.order_by("pk")) == [*runs[3:], waiting]


def test_what_counts_for_the_budget_of_the_month_is_remembered(register: Register, queued: Queued) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.spend(model="claude-x", input_tokens=10, cost=0.5)
        return {}

    register(work, keep=1)
    runs = [queued() for _ in range(4)]
    Run.objects.filter(pk=runs[0].pk).update(created_at=now_ms() - 40 * 86_400_000)
    for run in runs:
        run_execute(run_id=run.pk)
    assert list(Run.objects.order_by("pk")) == runs[1:]
    assert budget_at(now_ms()).spent == pytest.approx(1.5)


def test_a_run_of_this_process_gives_its_result_and_raises_its_error(register: Register) -> None:
    register(lambda running, run: {"answer": 42})
    assert run_perform(kind="test") == {"answer": 42}

    def fail(running: ActiveRun, run: Run) -> dict[str, Any]:
        raise RunError("No.")

    with pytest.raises(RunError):
        run_perform(kind="test", work=fail)
    assert list(Run.objects.order_by("pk").values_list("status", flat=True)) == ["completed", "failed"]


def test_ctrl_c_is_a_kill(register: Register) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        raise KeyboardInterrupt

    register(work)
    with pytest.raises(KeyboardInterrupt):
        run_perform(kind="test")
    assert Run.objects.get().status == "killed"


def test_bad_news_are_kept_beside_the_result(register: Register, queued: Queued) -> None:
    register(lambda running, run: {"summary": "One is broken.", "alarm": "Mend it."})
    run = queued()
    run_execute(run_id=run.pk)
    assert (ended(run).status, run.summary, run.error) == ("completed", "One is broken.", "Mend it.")


def test_every_kind_of_the_product_can_be_imported() -> None:
    from inspector.runs.services import list_run_kinds

    assert {kind.name for kind in list_run_kinds()} >= {"import", "check archive"}
    for kind in list_run_kinds():
        assert callable(kind.load_work())


def test_a_run_in_a_transaction_that_is_still_open_is_not_lost(register: Register) -> None:
    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.wait(0.8)
        return {"summary": "Done."}

    register(work)
    with transaction.atomic():
        assert run_perform(kind="test") == {"summary": "Done."}
    assert Run.objects.get().status == "completed"
