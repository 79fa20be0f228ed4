"""Whether something failed because the disk is full, and what is said then."""

from __future__ import annotations

import errno

FULL = "The disk is full. Make room; nothing that was stored is lost, and Lucid goes on by itself."
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def is_full(error: BaseException | None) -> bool:
    """SQLite says it in words, the system by a number; both may be the cause of what was raised."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL" or "database or disk is full" in str(error):
            return True
        if getattr(error, "sqlstate", None) == "53100":  # PostgreSQL: disk_full
            return True
        error = error.__cause__ or error.__context__
    return False
