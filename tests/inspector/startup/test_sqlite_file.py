from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from inspector.startup.database import back_up
from inspector.startup.sqlite_file import damage_of


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "lucid.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT)")
    connection.executemany("INSERT INTO words (word) VALUES (?)", [(f"word {n}" * 20,) for n in range(2000)])
    connection.execute("CREATE INDEX words_word ON words (word)")
    connection.commit()
    connection.close()
    return path


def test_a_sound_file_has_no_damage(database: Path) -> None:
    assert damage_of(database) is None


def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    (tmp_path / "new.sqlite3").touch()
    assert damage_of(tmp_path / "new.sqlite3") is None


@pytest.mark.parametrize("content", [b"not a database at all " * 400, b"SQLite format 3\0" + b"\xff" * 8000, b"S"])
def test_another_file_is_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lucid.sqlite3").write_bytes(content)
    assert damage_of(tmp_path / "lucid.sqlite3")


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_truncated_file_is_damage(database: Path, part: float) -> None:
    os.truncate(database, int(database.stat().st_size * part))
    assert damage_of(database)


@pytest.mark.parametrize("page", [1, 5, 50])
def test_an_overwritten_page_is_damage(database: Path, page: int) -> None:
    with database.open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xaa" * 4096)
    assert damage_of(database)


def test_an_overwritten_page_of_a_long_schema_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "lucid.sqlite3"
    with sqlite3.connect(path) as connection:
        for n in range(200):
            connection.execute(f"CREATE TABLE table_{n} (id INTEGER PRIMARY KEY)")
    connection.close()
    page = path.read_bytes().index(b"CREATE TABLE table_150") // 4096
    with path.open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xaa" * 4096)
    assert damage_of(path)


def test_a_file_whose_log_was_not_merged_yet_is_sound(database: Path, tmp_path: Path) -> None:
    writer = sqlite3.connect(database)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.executemany("INSERT INTO words (word) VALUES (?)", [(f"more {n}" * 50,) for n in range(2000)])
    writer.commit()
    try:
        assert damage_of(database) is None
    finally:
        writer.close()


def test_a_copy_has_everything_and_only_the_newest_are_kept(database: Path) -> None:
    copies = [back_up(database, f"transcripts.000{n}") for n in (1, 2, 3)]
    assert [copy.exists() for copy in copies] == [False, True, True]
    with sqlite3.connect(copies[-1]) as connection:
        assert connection.execute("SELECT count(*) FROM words").fetchone() == (2000,)
    assert damage_of(copies[-1]) is None
