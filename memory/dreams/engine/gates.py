"""The conditions for a dream over memory, the cheapest to check first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from memory.dreams.engine.lock import DreamLock, LockState
from sessions.text.engine.words import plural

HOURS_BETWEEN = 24
MINUTES_BETWEEN_SCANS = 10
SESSIONS_NEEDED = 5
_MS = 1_000


class GateName(StrEnum):
    ENABLED = "enabled"
    TIME = "time"
    SCAN = "scan"
    SESSIONS = "sessions"
    LOCK = "lock"


BY_HAND = frozenset({GateName.LOCK})
"""Who presses the button wants it now, whatever the schedule says; nobody dreams beside another."""


@dataclass(frozen=True, slots=True)
class Gate:
    name: GateName
    open: bool
    why: str

    @property
    def counts_by_hand(self) -> bool:
        return self.name in BY_HAND


def enabled_gate(*, enabled: bool) -> Gate:
    words = "Dreams on a schedule are switched on." if enabled else "Dreams on a schedule are switched off."
    return Gate(GateName.ENABLED, enabled, words)


def time_gate(*, lock: DreamLock, now_ms: int) -> Gate:
    if lock.consolidated_ns is None:
        return Gate(GateName.TIME, True, "It was never consolidated.")
    passed = now_ms - lock.consolidated_ns // 1_000_000
    sentence = f"It was consolidated {_format_span(passed)} ago"
    if passed >= HOURS_BETWEEN * 3_600 * _MS:
        return Gate(GateName.TIME, True, f"{sentence}; {HOURS_BETWEEN} hours are needed.")
    left = _format_span(HOURS_BETWEEN * 3_600 * _MS - passed)
    return Gate(GateName.TIME, False, f"{sentence}; {HOURS_BETWEEN} hours are needed, in {left}.")


def scan_gate(*, scanned_ms: int | None, now_ms: int) -> Gate:
    if scanned_ms is None:
        return Gate(GateName.SCAN, True, "The schedule has not counted sessions yet.")
    passed = now_ms - scanned_ms
    sentence = f"The schedule counted sessions {_format_span(passed)} ago"
    is_open = passed >= MINUTES_BETWEEN_SCANS * 60 * _MS
    more = "." if is_open else f"; it does so every {MINUTES_BETWEEN_SCANS} minutes at most."
    return Gate(GateName.SCAN, is_open, f"{sentence}{more}")


def sessions_gate(*, sessions: int, lock: DreamLock) -> Gate:
    if lock.consolidated_ns is None:
        when = "so far"
    else:
        moment = datetime.fromtimestamp(lock.consolidated_ns / 1e9, tz=UTC)
        when = f"since {moment:%Y-%m-%d %H:%M} UTC"
    counted = f"{plural(sessions, 'session')} went on {when}; {SESSIONS_NEEDED} are needed."
    return Gate(GateName.SESSIONS, sessions >= SESSIONS_NEEDED, counted)


def lock_gate(*, lock: DreamLock, now_ms: int) -> Gate:
    standing = lock.state(now_ms * 1_000_000)
    if standing is LockState.FREE:
        return Gate(GateName.LOCK, True, "Nobody dreams over it.")
    age = _format_span(now_ms - (lock.consolidated_ns or 0) // 1_000_000)
    if standing is LockState.STALE:
        words = f"Process {lock.pid} took the lock {age} ago and is dead; it is taken over."
        return Gate(GateName.LOCK, True, words)
    if lock.is_alive:
        return Gate(GateName.LOCK, False, f"Process {lock.pid} holds the lock, since {age}.")
    words = f"Process {lock.pid} took the lock {age} ago and is dead or elsewhere; it is taken over after an hour."
    return Gate(GateName.LOCK, False, words)


def find_closed_gate(gates: tuple[Gate, ...], *, by_hand: bool) -> Gate | None:
    """The first gate that prevents a dream."""
    return next((gate for gate in gates if not gate.open and (gate.counts_by_hand or not by_hand)), None)


def _format_span(milliseconds: int) -> str:
    minutes = max(milliseconds, 0) // 60_000
    if minutes < 1:
        return "less than a minute"
    if minutes < 120:
        return plural(minutes, "minute")
    hours = minutes // 60
    return f"{hours} hours" if hours < 48 else f"{hours // 24} days"
