"""`lucid backup` and `lucid restore` as a person meets them: what they refuse, and that nothing is lost then."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from inspector.backup.services.sqlite_snapshot import sqlite_snapshot
from tests.inspector.backup.crafting import Given, crafted
from tests.serving import ROOT, environment, lucid, serving


def note(home: Path, words: str) -> None:
    with sqlite3.connect(home / "lucid.sqlite3") as database:
        database.execute("INSERT INTO transcripts_project (directory, cwd) VALUES (?, '')", [words])
    database.close()


def notes(database: Path) -> list[str]:
    connection = sqlite3.connect(database)
    result = [words for (words,) in connection.execute("SELECT directory FROM transcripts_project ORDER BY id")]
    connection.close()
    return result


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Path:
    """A home and a backup of it, to be copied."""
    folder = tmp_path_factory.mktemp("backups")
    note(shutil.copytree(made_home, folder / "home"), "first")
    result = lucid(folder / "home", "backup", str(folder / "backup.tar"))
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture
def home(tmp_path: Path, made: Path) -> Path:
    return shutil.copytree(made / "home", tmp_path / "home")


@pytest.fixture
def backup(tmp_path: Path, made: Path) -> Path:
    return Path(shutil.copy(made / "backup.tar", tmp_path / "backup.tar"))


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one sentence that was said."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("lucid: ")
    return line.removeprefix("lucid: ")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_only_the_owner_reads_it_and_nothing_is_left_beside(made: Path) -> None:
    assert (made / "backup.tar").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in made.iterdir()) == ["backup.tar", "home"]


def test_a_file_that_is_there_stays_unless_told(tmp_path: Path, home: Path, backup: Path) -> None:
    before = backup.read_bytes()
    assert "is there already" in refused(lucid(home, "backup", str(backup)))
    assert backup.read_bytes() == before
    note(home, "second")
    assert lucid(home, "backup", str(backup), "--replace").returncode == 0
    assert lucid(tmp_path / "other", "restore", str(backup)).returncode == 0
    assert notes(tmp_path / "other" / "lucid.sqlite3") == ["first", "second"]


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, home: Path) -> None:
    assert "is a directory" in refused(lucid(home, "backup", str(tmp_path)))
    assert "no directory" in refused(lucid(home, "backup", str(tmp_path / "nowhere" / "backup.tar")))
    assert "nothing to back up" in refused(lucid(tmp_path / "empty", "backup", str(tmp_path / "backup.tar")))
    assert not (tmp_path / "backup.tar").exists()


def limited(home: Path, kilobytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that no file may grow beyond so much for."""
    shell = f'ulimit -f {kilobytes}; exec "$@"'
    command = ["bash", "-c", shell, "bash", sys.executable, "-m", "inspector", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment(home), capture_output=True, text=True, timeout=240, check=False
    )


def test_a_backup_that_does_not_fit_leaves_nothing(tmp_path: Path, home: Path) -> None:
    (home / "captures").mkdir(exist_ok=True)
    (home / "captures" / "1.capture").write_bytes(os.urandom(3_000_000))
    (tmp_path / "backup.tar").write_bytes(b"")
    assert "file too large" in refused(limited(home, 2_000, "backup", str(tmp_path / "backup.tar")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.tar", "home"]
    assert (tmp_path / "backup.tar").read_bytes() == b""
    assert lucid(home, "backup", str(tmp_path / "backup.tar")).returncode == 0


def test_a_full_disk_is_one_sentence(tmp_path: Path, home: Path, backup: Path) -> None:
    (home / "captures").mkdir(exist_ok=True)
    (home / "captures" / "1.capture").write_bytes(os.urandom(3_000_000))
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", small], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no small disk can be made here: {mounted.stderr.decode()}")
    try:
        assert "not enough room" in refused(lucid(home, "backup", str(small / "backup.tar")))
        assert list(small.iterdir()) == []
        full = shutil.copytree(home, small / "full", ignore=shutil.ignore_patterns("captures"))
        # As a server has: SQLite itself needs room to open a database that nobody else has open.
        running = sqlite3.connect(full / "lucid.sqlite3")
        running.execute("SELECT count(*) FROM transcripts_project").fetchone()
        with suppress(OSError), (small / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
        result = lucid(full, "backup", str(tmp_path / "full.tar"))
        running.close()
        assert result.returncode == 0, result.stderr
        assert "does not remember" in result.stderr
        (small / "filler").unlink()
        large = tmp_path / "large.tar"
        assert lucid(home, "backup", str(large)).returncode == 0
        assert "are free" in refused(lucid(small / "home", "restore", str(large)))
        assert not (small / "home" / "lucid.sqlite3").exists()
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_home_that_is_not_empty_stays_unless_told(home: Path, backup: Path) -> None:
    note(home, "second")
    (home / "notes" / "s").mkdir(parents=True)
    (home / "notes" / "s" / "summary.md").write_text("later")
    key = (home / "secret.key").read_text()
    (home / "owner.key").write_text("another")
    assert "is not empty" in refused(lucid(home, "restore", str(backup)))
    assert notes(home / "lucid.sqlite3") == ["first", "second"]
    result = lucid(home, "restore", str(backup), "--replace", "--json")
    assert result.returncode == 0, result.stderr
    (aside,) = json.loads(result.stdout)["aside"]
    assert notes(home / "lucid.sqlite3") == ["first"]
    assert not (home / "notes").exists()
    assert notes(Path(aside) / "lucid.sqlite3") == ["first", "second"]
    assert (Path(aside) / "notes" / "s" / "summary.md").read_text() == "later"
    assert (Path(aside) / "owner.key").read_text() == "another"
    assert (home / "secret.key").read_text() == key
    modes = {path: path.stat().st_mode & 0o077 for path in home.rglob("*")}
    assert not any(modes.values()), modes


def test_a_damaged_database_makes_way_for_a_backup(home: Path, backup: Path) -> None:
    (home / "lucid.sqlite3").write_bytes(b"garbage" * 1000)
    (home / "lucid.sqlite3-wal").write_bytes(b"more garbage")
    assert "is not empty" in refused(lucid(home, "restore", str(backup)))
    result = lucid(home, "restore", str(backup), "--replace", "--json")
    assert result.returncode == 0, result.stderr
    assert notes(home / "lucid.sqlite3") == ["first"]
    (aside,) = json.loads(result.stdout)["aside"]
    assert (Path(aside) / "lucid.sqlite3").read_bytes() == b"garbage" * 1000
    assert (Path(aside) / "lucid.sqlite3-wal").read_bytes() == b"more garbage"


def test_nothing_is_restored_under_a_lucid_that_runs(home: Path, backup: Path) -> None:
    with serving(home, "--no-watch", LUCID_WORKER="off") as server:
        sentence = refused(lucid(home, "restore", str(backup), "--replace"))
        assert f"127.0.0.1:{server.port}" in sentence
        assert "stop it" in sentence
        assert server.get("/settings/").status == 200
    assert notes(home / "lucid.sqlite3") == ["first"]


def test_nothing_is_restored_while_anybody_has_the_database_open(home: Path, backup: Path) -> None:
    other = sqlite3.connect(home / "lucid.sqlite3")
    other.execute("SELECT count(*) FROM transcripts_project").fetchone()
    try:
        assert "Another program uses the database" in refused(lucid(home, "restore", str(backup), "--replace"))
    finally:
        other.close()
    assert [path.name for path in home.iterdir() if "restor" in path.name] == []
    assert lucid(home, "restore", str(backup), "--replace").returncode == 0


def test_damage_is_named_and_nothing_is_touched(tmp_path: Path, home: Path, backup: Path) -> None:
    sound = backup.read_bytes()
    index = sound.index(b"tables/transcripts_project/") + 512 + 30
    damaged = tmp_path / "damaged.tar"
    damaged.write_bytes(sound[:index] + bytes([sound[index] ^ 4]) + sound[index + 1 :])
    before = files(home)
    sentence = refused(lucid(home, "restore", str(damaged), "--replace"))
    assert "tables/transcripts_project/00000001.msgpack.zst" in sentence
    damaged.write_bytes(sound[: len(sound) // 2])
    assert "damaged" in refused(lucid(home, "restore", str(damaged), "--replace"))
    damaged.write_bytes(b"something else")
    assert "no backup" in refused(lucid(home, "restore", str(damaged), "--replace"))
    assert "no file" in refused(lucid(home, "restore", str(tmp_path / "nowhere"), "--replace"))
    after = files(home)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert {name for name in changed if not name.startswith("logs")} == set()


def test_a_backup_of_a_newer_lucid_is_refused(tmp_path: Path, backup: Path) -> None:
    newer = tmp_path / "newer.tar"
    newer.write_bytes(crafted(migrations=["transcripts.0001_initial", "transcripts.9999_future"]))
    sentence = refused(lucid(tmp_path / "other", "restore", str(newer)))
    assert "newer Lucid" in sentence
    assert "9999_future" in sentence
    assert not (tmp_path / "other" / "lucid.sqlite3").exists()


def test_a_backup_of_an_older_schema_is_made_before_and_restored_after_an_upgrade(tmp_path: Path) -> None:
    old = tmp_path / "old"
    for app, name in (("transcripts", "0002"), ("memory", "zero"), ("compaction", "zero"), ("inspector", "zero")):
        result = lucid(old, "migrate", app, name, "--verbosity", "0")
        assert result.returncode == 0, result.stderr
    note(old, "first")
    with sqlite_snapshot(old / "lucid.sqlite3") as database:
        before = database.migrations()
    assert lucid(old, "backup", str(tmp_path / "old.tar")).returncode == 0
    with sqlite_snapshot(old / "lucid.sqlite3") as database:
        assert database.migrations() == before, "the backup changed the schema"
    result = lucid(tmp_path / "new", "restore", str(tmp_path / "old.tar"), "--json")
    assert result.returncode == 0, result.stderr
    assert "transcripts.0003_owed_bytes" in json.loads(result.stdout)["migrated"]
    assert notes(tmp_path / "new" / "lucid.sqlite3") == ["first"]
    assert lucid(tmp_path / "new", "check").returncode == 0


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (("tables", "sqlite_master", ("name",), [("x",)]), "table"),
        (("tables", "transcripts_project", ("id", "directory"), [(1, "x")]), "table"),
        (("files", "home", ("path", "piece", "mtime_ns", "data"), [("../../escaped", 0, 0, b"x")]), "file"),
        (("files", "home", ("path",), [("secret.key",)]), "files"),
    ],
    ids=["unknown table", "missing column", "path", "columns of files"],
)
def test_a_crafted_backup_changes_nothing(tmp_path: Path, home: Path, stream: Given, words: str) -> None:
    with sqlite_snapshot(home / "lucid.sqlite3") as database:
        migrations = database.migrations()
    made = tmp_path / "crafted.tar"
    made.write_bytes(crafted(stream, migrations=migrations, files=int(stream[0] == "files")))
    sentence = refused(lucid(home, "restore", str(made), "--replace"))
    assert words in sentence
    assert notes(home / "lucid.sqlite3") == ["first"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crafted.tar", "home"]


def test_a_restore_that_is_killed_loses_nothing(tmp_path: Path, home: Path, backup: Path) -> None:
    note(home, "second")
    for delay in (0.5, 1.0, 1.5, 2.0, 3.0):
        process = subprocess.Popen(
            [sys.executable, "-m", "inspector", "restore", str(backup), "--replace"],
            cwd=ROOT,
            env=environment(home),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        assert notes(home / "lucid.sqlite3") in (["first"], ["first", "second"])
    result = lucid(home, "restore", str(backup), "--replace")
    assert result.returncode == 0, result.stderr
    assert notes(home / "lucid.sqlite3") == ["first"]
    asides = [notes(path) for path in home.glob("before-restore-*/lucid.sqlite3")]
    assert ["first", "second"] in asides
    assert [path.name for path in home.iterdir() if "restoring" in path.name] == []
