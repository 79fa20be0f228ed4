"""Checks an SQLite file: its header, and as much of an integrity check as fits into a quick start."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 0.3
MAGIC = b"SQLite format 3\x00"


def damage_of(path: Path) -> str | None:
    """Describes the damage, or None. A large file is checked only as far as time allows."""
    return _header_damage(path) or _content_damage(path)


def _header_damage(path: Path) -> str | None:
    size = path.stat().st_size
    if size == 0:
        return None
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(MAGIC):
        return "it is not an SQLite database"
    page_size = int.from_bytes(header[16:18], "big")
    expected = (65536 if page_size == 1 else page_size) * int.from_bytes(header[28:32], "big")
    # While a write-ahead log waits to be merged, the file may legitimately be shorter.
    log = path.with_name(f"{path.name}-wal")
    if size < expected and not (log.exists() and log.stat().st_size):
        return f"{expected - size} bytes are missing at its end"
    return None


def _content_damage(path: Path) -> str | None:
    connection = sqlite3.connect(path, timeout=20, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with _interrupt_after(connection, after=SECONDS):
            finding: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        return None if finding == "ok" else finding.splitlines()[0]
    except sqlite3.OperationalError as error:
        # Interrupted, locked or out of space: none of these means that the file is damaged.
        return str(error) if "malformed" in str(error) else None
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        connection.close()


@contextmanager
def _interrupt_after(connection: sqlite3.Connection, *, after: float) -> Iterator[None]:
    timer = threading.Timer(after, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join(timeout=1)
