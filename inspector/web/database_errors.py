"""Whether something failed because the database is held by somebody else or away, and what is said then."""

from __future__ import annotations

from enum import StrEnum

HELD_STATES = ("55P03", "40P01", "40001")
"""PostgreSQL: a lock that is not to be had, a deadlock, a transaction that came in between."""
AWAY_CLASSES = ("08", "57")
"""PostgreSQL: connections, and operators who stop it."""
NO_STATE = ("OperationalError", "InterfaceError")
"""What its driver raises when there is nobody who could tell a state."""


class Trouble(StrEnum):
    HELD = "The database is held by another program, so nothing was changed. It is usually free again in a moment."
    AWAY = "The database does not answer, so nothing was changed. Lucid goes on by itself as soon as it is back."


def find_trouble(error: BaseException | None) -> Trouble | None:
    """SQLite says it by a name, PostgreSQL by a state; either may be the cause of what was raised."""
    checked: set[int] = set()
    while error is not None and id(error) not in checked:
        checked.add(id(error))
        trouble = _of_sqlite(error) or _of_postgresql(error)
        if trouble is not None:
            return trouble
        error = error.__cause__ or error.__context__
    return None


def reason_of(error: BaseException) -> str:
    """In one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _of_sqlite(error: BaseException) -> Trouble | None:
    name = str(getattr(error, "sqlite_errorname", None) or "")
    return Trouble.HELD if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) else None


def _of_postgresql(error: BaseException) -> Trouble | None:
    if not type(error).__module__.startswith("psycopg"):
        return None
    state = str(getattr(error, "sqlstate", None) or "")
    if state in HELD_STATES:
        return Trouble.HELD
    is_away = state.startswith(AWAY_CLASSES) if state else type(error).__name__ in NO_STATE
    # A query that was cancelled is of the same class as a server that is stopped.
    return Trouble.AWAY if is_away and state != "57014" else None
