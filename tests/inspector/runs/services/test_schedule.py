from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection

from inspector.locks.database_clock import database_ms
from inspector.runs.models import Moment
from inspector.runs.services import schedule
from inspector.runs.services.presence import sweep_ended_processes
from inspector.runs.services.schedule import Duty, duty_do, duty_follow, moment_claim
from inspector.watcher.duties import WORKER
from tests.serving import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = 3600.0


def in_threads(count: int, work: Callable[[], bool]) -> list[bool]:
    """All at once."""
    gate, results = threading.Barrier(count), []

    def run() -> None:
        gate.wait()
        try:
            results.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def moved(by: float) -> None:
    moment = Moment.objects.get()
    Moment.objects.update(at=moment.at + int(by * 1000))


def test_of_many_processes_one_does_a_duty_in_each_period() -> None:
    def claim() -> bool:
        return moment_claim(name="test", interval=HOUR)

    for _ in range(3):
        assert sorted(in_threads(6, claim)) == [False] * 5 + [True]
        assert not claim()
        moved(-HOUR)


@pytest.mark.parametrize("hours", [1, 1000])
def test_a_clock_that_was_set_back_does_not_put_a_duty_off(hours: int) -> None:
    assert moment_claim(name="test", interval=HOUR)
    moved(hours * HOUR)
    assert moment_claim(name="test", interval=HOUR)
    assert abs(Moment.objects.get().at - database_ms()) < HOUR * 1000
    assert not moment_claim(name="test", interval=HOUR)


def test_what_nobody_wants_is_not_even_claimed() -> None:
    result: list[int] = []
    duty = Duty("test", interval=HOUR, work=lambda: result.append(1), is_needed=lambda: False)
    assert not duty_do(duty)
    assert (result, Moment.objects.exists()) == ([], False)


def test_an_idle_lucid_writes_nothing() -> None:
    list(sweep_ended_processes())  # those that other tests have killed
    for duty in WORKER:
        if duty.name != "old captures":
            assert not duty_do(duty), duty.name
    assert not Moment.objects.exists()


def test_a_duty_that_fails_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "TROUBLE_SECONDS", 0.01)
    result: list[int] = []
    stop = threading.Event()

    def work() -> None:
        result.append(1)
        if len(result) == 1:
            raise OperationalError("the server closed the connection")
        if len(result) == 2:
            raise ValueError("nobody foresaw it")

    duty = Duty("test", interval=0.0, check_interval=0.01, work=work, shared=False)
    thread = threading.Thread(target=duty_follow, args=(duty, stop))
    thread.start()
    try:
        wait_until(lambda: len(result) > 3)
    finally:
        stop.set()
        thread.join()
