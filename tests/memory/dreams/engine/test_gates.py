"""When memory may be dreamed over, and why not."""

from __future__ import annotations

import os

import pytest

from memory.dreams.engine.gates import (
    Gate,
    enabled_gate,
    find_closed_gate,
    lock_gate,
    scan_gate,
    sessions_gate,
    time_gate,
)
from memory.dreams.engine.lock import DreamLock

NOW = 1_800_000_000_000
MINUTE = 60_000
NEVER = DreamLock(None, None)


def consolidated(minutes: int, pid: int | None = None, *, alive: bool = False) -> DreamLock:
    return DreamLock(pid, (NOW - minutes * MINUTE) * 1_000_000, alive)


def test_a_day_has_to_pass() -> None:
    assert time_gate(lock=NEVER, now_ms=NOW).open
    assert time_gate(lock=consolidated(24 * 60), now_ms=NOW).open
    gate = time_gate(lock=consolidated(24 * 60 - 1), now_ms=NOW)
    assert not gate.open
    assert gate.why == "It was consolidated 23 hours ago; 24 hours are needed, in 1 minute."


def test_sessions_are_counted_every_ten_minutes_at_most() -> None:
    assert scan_gate(scanned_ms=None, now_ms=NOW).open
    assert scan_gate(scanned_ms=NOW - 10 * MINUTE, now_ms=NOW).open
    assert not scan_gate(scanned_ms=NOW - 10 * MINUTE + 1, now_ms=NOW).open


def test_five_sessions_have_to_have_gone_on() -> None:
    assert sessions_gate(sessions=5, lock=NEVER).open
    gate = sessions_gate(sessions=1, lock=consolidated(0))
    assert not gate.open
    assert gate.why == "1 session went on since 2027-01-15 08:00 UTC; 5 are needed."


@pytest.mark.parametrize(
    ("lock", "is_open", "words"),
    [
        (NEVER, True, "Nobody"),
        (consolidated(1), True, "Nobody"),
        (consolidated(1, 7, alive=True), False, "Process 7 holds"),
        (consolidated(90, 7, alive=True), False, "Process 7 holds"),
        (consolidated(59, 7), False, "taken over after an hour"),
        (consolidated(60, 7), True, "it is taken over"),
    ],
)
def test_nobody_dreams_beside_another(lock: DreamLock, is_open: bool, words: str) -> None:
    gate = lock_gate(lock=lock, now_ms=NOW)
    assert gate.open is is_open
    assert words in gate.why


def test_the_button_skips_all_but_the_lock() -> None:
    held = consolidated(1, os.getpid(), alive=True)
    gates: tuple[Gate, ...] = (
        enabled_gate(enabled=False),
        time_gate(lock=held, now_ms=NOW),
        scan_gate(scanned_ms=NOW, now_ms=NOW),
        sessions_gate(sessions=0, lock=held),
    )
    assert find_closed_gate(gates, by_hand=True) is None
    assert find_closed_gate(gates, by_hand=False) == gates[0]
    last = lock_gate(lock=held, now_ms=NOW)
    assert find_closed_gate((*gates, last), by_hand=True) == last
