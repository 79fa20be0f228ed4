from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunKilled, run_execute
from inspector.runs.services.active_run import LAST_TURNS, LONGEST_TEXT
from inspector.runs.services.pulse import write_updates
from tests.inspector.runs.services.conftest import Register

Queued = Callable[..., Run]


def running() -> ActiveRun:
    return ActiveRun(Run(pk=1, worker="me"))


def test_only_the_last_turns_are_kept_and_all_are_counted() -> None:
    active = running()
    for number in range(100):
        active.add_turn(f"turn {number}" + "x" * 5000)
    updates = active.take_updates()
    assert updates["turn_count"] == 100
    assert [turn["number"] for turn in updates["turns"]] == list(range(101 - LAST_TURNS, 101))
    assert {len(turn["text"]) for turn in updates["turns"]} == {LONGEST_TEXT}


def test_a_turn_that_goes_on_is_told_again() -> None:
    active = running()
    active.add_turn("Asked")
    active.add_turn("Asked again")
    active.update_turn("Asked again: half a pair \ud83d", tools={"Read": 1})
    updates = active.take_updates()
    assert [turn["text"] for turn in updates["turns"]] == ["Asked", "Asked again: half a pair ?"]
    assert (updates["turn_count"], updates["turns"][-1]["tools"]) == (2, {"Read": 1})


def test_a_phase_starts_the_count_again_and_further_counts_stay() -> None:
    active = running()
    active.begin_phase("reading", total=10, unit="files")
    active.advance(3, entries=7)
    active.begin_phase("writing")
    active.advance()
    updates = active.take_updates()
    assert (updates["phase"], updates["done"], updates["total"], updates["progress"]) == (
        "writing",
        1,
        None,
        {"entries": 7},
    )


def test_what_could_not_be_written_is_kept_for_the_next_time() -> None:
    active = running()
    active.begin_phase("reading")
    taken = active.take_updates()
    active.report_progress(5)
    active.restore_updates(taken)
    updates = active.take_updates()
    assert (updates["phase"], updates["done"]) == ("reading", 5)
    assert not active.has_updates


def test_a_price_that_nobody_knows_is_not_zero() -> None:
    active = running()
    active.spend(output_tokens=5)
    assert active.take_updates()["cost"] is None
    active.spend(output_tokens=5, cost=0.5)
    assert active.take_updates()["cost"] == 0.5


def test_every_call_that_tells_progress_hears_the_stop() -> None:
    active = running()
    active.stop(RunKilled)
    for call in (
        active.check,
        lambda: active.report_progress(1),
        active.advance,
        lambda: active.begin_phase("x"),
        lambda: active.wait(5),
    ):
        with pytest.raises(RunKilled):
            call()


COUNTING = {
    "sqlite": ("CREATE TRIGGER counting AFTER UPDATE ON inspector_run BEGIN INSERT INTO counted VALUES (1); END",),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION count_one() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN INSERT INTO counted VALUES (1); RETURN NULL; END'",
        "CREATE TRIGGER counting AFTER UPDATE ON inspector_run FOR EACH ROW EXECUTE FUNCTION count_one()",
    ),
}


@contextmanager
def updates_counted() -> Iterator[Callable[[], int]]:
    """How often any connection has written to runs."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE counted (n integer)")
        for sql in COUNTING[connection.vendor]:
            cursor.execute(sql)

    def count() -> int:
        with connection.cursor() as cursor:
            return int(cursor.execute("SELECT count(*) FROM counted").fetchone()[0])

    try:
        yield count
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER counting{' ON inspector_run' if connection.vendor == 'postgresql' else ''}")
            cursor.execute("DROP TABLE counted")


@pytest.mark.django_db(transaction=True)
def test_what_is_said_often_is_written_seldom(register: Register, queued: Queued) -> None:
    reports = 0

    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        nonlocal reports
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            running.advance()
            reports += 1
        return {}

    register(work)
    run = queued()
    with updates_counted() as written:
        run_execute(run_id=run.pk)
        # The claim, the end, and at most four a second between.
        assert 3 <= written() <= 9
    run.refresh_from_db()
    assert run.done == reports > 1000


@pytest.mark.django_db(transaction=True)
def test_what_the_pulse_has_taken_is_written_before_the_run_ends(register: Register, queued: Queued) -> None:
    taken, ended = threading.Event(), threading.Event()

    def write_late(running: ActiveRun) -> None:
        def wait_for_the_end(execute: Callable[..., Any], *arguments: Any) -> Any:
            taken.set()
            ended.wait(1)
            return execute(*arguments)

        try:
            with connection.execute_wrapper(wait_for_the_end):
                write_updates(running)
        finally:
            connection.close()

    def work(running: ActiveRun, run: Run) -> dict[str, Any]:
        running.add_turn("The only one")
        threading.Thread(target=write_late, args=(running,)).start()
        assert taken.wait(30)
        return {}

    register(work)
    run = queued()
    assert run_execute(run_id=run.pk)
    ended.set()
    run.refresh_from_db()
    assert (run.status, run.turn_count) == (Run.Status.COMPLETED, 1)
