from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.backup.format.errors import BackupError
from inspector.backup.format.rows import Row
from inspector.backup.services.home_files import PIECE_BYTES, FileReader, FileWriter


def rows(home: Path) -> list[Row]:
    return list(FileReader(home).rows())


def put(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_what_cannot_be_made_again_is_read_and_nothing_else(tmp_path: Path) -> None:
    kept = ["secret.key", "owner.key", "captures/1.capture", "captures/unreadable/2.capture", "notes/a/summary.md"]
    kept += ["demo/projects/p/memory/a.md", "exports/p/s.jsonl"]
    other = [
        "lucid.sqlite3",
        "serve.lock",
        "logs/lucid.log",
        "queue/messages/1.msg",
        "captures/3.part",
        "captures/.lock",
    ]
    other += ["entry/abc", "workers/1", "kills/1", "backups/lucid.sqlite3", "notes/a/.lucid-1.part", "captures/.lock"]
    for name in (*kept, *other):
        put(tmp_path / name)
    (tmp_path / "notes" / "link.md").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "notes" / "pipe")
    assert sorted(str(row[0]) for row in rows(tmp_path)) == sorted(kept)


def test_files_come_back_as_they_were_and_for_the_owner_alone(tmp_path: Path) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    large = os.urandom(2 * PIECE_BYTES + 5)
    put(home / "secret.key", b"key")
    put(home / "captures" / "1.capture", large)
    put(home / "notes" / os.fsdecode(b"caf\xe9") / "summary.md", b"")
    (home / "notes").chmod(0o777)
    os.utime(home / "captures" / "1.capture", ns=(7, 7))
    copy.mkdir()
    reader, writer = FileReader(home), FileWriter(copy)
    for row in reader.rows():
        writer.write(tuple(row))
    assert reader.count == writer.count == 3
    for path in home.rglob("*"):
        twin = copy / path.relative_to(home)
        assert twin.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
        assert path.is_dir() or twin.read_bytes() == path.read_bytes()
    assert (copy / "captures" / "1.capture").stat().st_mtime_ns == 7


@pytest.mark.parametrize(
    "name",
    [
        "../secret.key",
        "/etc/passwd",
        "notes/../../x",
        "notes/../secret.key",
        "notes//x",
        "./secret.key",
        "notes/./x",
        "lucid.sqlite3",
        "logs/lucid.log",
        "notes",
        "",
        "notes/a\0b",
        "captures/" + "x" * 5000,
    ],
)
def test_no_name_leads_elsewhere(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises((BackupError, OSError)):
        FileWriter(folder).write((name, 0, 0, b"x"))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_is_written_once_and_from_its_beginning(tmp_path: Path) -> None:
    writer = FileWriter(tmp_path)
    writer.write(("notes/a/summary.md", 0, 0, b"x"))
    for row in (("notes/a/summary.md", 0, 0, b"y"), ("notes/b", 1, 0, b"y"), ("notes/a", 0, 0, b"y")):
        with pytest.raises(BackupError):
            writer.write(row)
    with pytest.raises(BackupError):
        writer.write(("notes/a/summary.md/x", 0, 0, b"y"))
    assert (tmp_path / "notes" / "a" / "summary.md").read_bytes() == b"x"


@pytest.mark.parametrize("row", [(b"notes/a", 0, 0, b""), ("notes/a", "0", 0, b""), ("notes/a", 0, 0, "text")])
def test_rows_of_other_kinds_are_refused(tmp_path: Path, row: Row) -> None:
    with pytest.raises(BackupError):
        FileWriter(tmp_path).write(tuple(row))
