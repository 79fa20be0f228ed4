"""Whether two attempts left the same behind. Then what follows is the same as well, and is played and judged once.

Two states are the same if every file outside the database has the same name and content, and every table the same
definition and rows. Only what is different in each attempt counts as equal: times of today, process numbers, random
names, the order of requests, and the numbers of files on the disk, for which their names stand. A database that is not
sound has no fingerprint: what follows is played."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from tests.faults.warm import Place

DATABASE = "lucid.sqlite3"
LOCK = ".consolidate-lock"
DAY = 24 * 3600
MOMENT = 20.0
TIME = re.compile(r"(?<![\w.])(1\d{9})(\d{9}|\d{6}|\d{3})?(\.\d+)?(?![\w.])")
"""Since 1970: seconds, or thousandths, or smaller."""
RANDOM = re.compile(
    r"\b\d+-[0-9a-f]{16}\b|\b(?!0000000\d-)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"
)
"""Names of workers and of recordings; of tasks. The sessions of tree.py begin with zeros."""
COUNTED = re.compile(r'("at": )(\d+\.\d+)')
"""By the clock that never jumps: when a process last said that it is alive."""
LEFT_OUT = {"inspector_worker": {"pid"}, "transcripts_request": {"id"}}
INODE = "inode"


def fingerprint(place: Place, *, without: re.Pattern[str] | None = None) -> str | None:
    """`without`: names, as they are below the folder, of files that do not count."""
    masked = _Mask()
    digest = sha256()
    for folder in (place.home, place.config, place.exports):
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(place.folder))
            counts = not name.startswith((f"home/{DATABASE}", "home/logs/")) and not (without and without.search(name))
            if path.is_file() and counts:
                content = _content(path, masked if folder == place.home else None)
                digest.update(b"\0".join((masked.text(name).encode(), masked.time(path.stat().st_mtime), content, b"")))
    rows = _rows(place, masked, _names(place.config))
    if rows is None:
        return None
    digest.update(rows)
    return digest.hexdigest()


def _names(folder: Path) -> dict[int, str]:
    return {path.stat().st_ino: str(path.relative_to(folder)) for path in folder.rglob("*")}


class _Mask:
    def __init__(self) -> None:
        now = time.time()
        self._first, self._last = now - DAY, now + DAY
        days = "|".join(f"{datetime.fromtimestamp(now + shift, UTC):%Y-%m-%d}" for shift in (-DAY, 0, DAY))
        self._stamp = re.compile(rf"({days})[T ][\d:.]+(Z|\+00:00)?")

    def text(self, text: str) -> str:
        text = COUNTED.sub(self._count, TIME.sub(self._time, text))
        return RANDOM.sub("<random>", self._stamp.sub("<now>", text))

    def time(self, seconds: float) -> bytes:
        return b"<now>" if self._first < seconds < self._last else str(seconds).encode()

    def _time(self, text: re.Match[str]) -> str:
        return "<now>" if self._first < int(text[1]) < self._last else text[0]

    def _count(self, text: re.Match[str]) -> str:
        return f"{text[1]}<now>" if abs(time.monotonic() - float(text[2])) < MOMENT else text[0]


def _content(path: Path, masked: _Mask | None) -> bytes:
    data = path.read_bytes()
    if path.name == LOCK and data.isdigit():
        return b"<process>"
    return os.fsencode(masked.text(os.fsdecode(data))) if masked else data


def _rows(place: Place, masked: _Mask, names: dict[int, str]) -> bytes | None:
    """What a copy of the database holds after SQLite has brought it in order."""
    if not (place.home / DATABASE).exists():
        return b"none"
    copy = place.folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for ending in ("", "-wal", "-journal"):
        if (source := place.home / f"{DATABASE}{ending}").exists():
            shutil.copyfile(source, copy / source.name)
    try:
        with closing(sqlite3.connect(copy / DATABASE)) as database:
            return _digest(database, masked, names)
    except sqlite3.DatabaseError:
        return None


def _digest(database: sqlite3.Connection, masked: _Mask, names: dict[int, str]) -> bytes | None:
    if database.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        return None
    digest = sha256()
    for pragma in ("user_version", "foreign_key_check"):
        digest.update(repr(database.execute(f"PRAGMA {pragma}").fetchall()).encode())
    shapes = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    digest.update(repr(shapes).encode())
    for kind, name, shape in shapes:
        if kind == "table" and not shape.startswith("CREATE VIRTUAL"):  # its rows are in tables of its own
            digest.update(f"{name} {masked.text(_table(database, name, names))}".encode(errors="surrogateescape"))
    return digest.digest()


def _table(database: sqlite3.Connection, table: str, names: dict[int, str]) -> str:
    columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
    columns = [column for column in columns if column not in LEFT_OUT.get(table, ())]
    listed = ", ".join(f'"{column}"' for column in columns)
    rows = [list(row) for row in database.execute(f'SELECT {listed} FROM "{table}"')]
    if INODE in columns:
        place = columns.index(INODE)
        for row in rows:
            row[place] = names.get(row[place], "<gone>")
    return "\n".join(sorted(map(repr, rows)))
