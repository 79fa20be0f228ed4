from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest
from django.db import OperationalError

from inspector.web.room import is_full


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
