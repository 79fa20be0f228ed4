from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest
from django.db import OperationalError

from inspector.web.disk_errors import BROKEN, FULL, disk_trouble, is_full


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_the_system_says_it_by_a_number(number: int) -> None:
    assert is_full(OSError(number, "no room"))
    assert not is_full(OSError(errno.EACCES, "not allowed"))


def test_sqlite_says_it_in_words(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "small.sqlite3")
    database.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.OperationalError) as raised:
        database.executescript("CREATE TABLE a (b); CREATE TABLE c (d);")
    assert is_full(raised.value)
    wrapped = OperationalError("something went wrong")
    wrapped.__cause__ = raised.value
    assert is_full(wrapped)


def test_other_troubles_are_other_troubles() -> None:
    assert not is_full(OperationalError("database is locked"))
    assert not is_full(None)


def test_a_disk_that_cannot_be_written_has_its_own_sentence(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "database.sqlite3")
    database.execute("CREATE TABLE numbers (number integer)")
    database.execute("PRAGMA query_only = ON")
    with pytest.raises(sqlite3.OperationalError) as raised:
        database.execute("INSERT INTO numbers VALUES (1)")
    database.close()
    assert disk_trouble(raised.value) == BROKEN
    assert disk_trouble(OSError(errno.EIO, "no disk")) == BROKEN
    assert disk_trouble(OSError(errno.ENOSPC, "no room")) == FULL
    assert disk_trouble(OSError(errno.EACCES, "not allowed")) is None
    assert disk_trouble(OperationalError("database is locked")) is None
