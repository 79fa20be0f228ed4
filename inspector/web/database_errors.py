"""Recognises errors because the database is locked or unreachable, and words them."""

from __future__ import annotations

from enum import StrEnum

HELD_STATES = ("55P03", "40P01", "40001")
"""PostgreSQL: lock not available, deadlock, serialisation failure."""
AWAY_CLASSES = ("08", "57")
"""PostgreSQL: connection errors and operator intervention."""
NO_STATE = ("OperationalError", "InterfaceError")
"""Raised by its driver when no server is there to send a state."""


class Trouble(StrEnum):
    HELD = "The database is held by another program, so nothing was changed. It is usually free again in a moment."
    AWAY = "The database does not answer, so nothing was changed. Lucid goes on by itself as soon as it is back."


def find_trouble(error: BaseException | None) -> Trouble | None:
    """SQLite gives a name, PostgreSQL a state; the database error may also be the cause of the one raised."""
    checked: set[int] = set()
    while error is not None and id(error) not in checked:
        checked.add(id(error))
        trouble = _of_sqlite(error) or _of_postgresql(error)
        if trouble is not None:
            return trouble
        error = error.__cause__ or error.__context__
    return None


def reason_of(error: BaseException) -> str:
    """The reason in one line."""
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
    # A cancelled query has the same class as a server that is stopped.
    return Trouble.AWAY if is_away and state != "57014" else None
