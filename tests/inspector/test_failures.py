"""Every command that writes or makes a run: when it fails, it ends with status 1 and one line of reason. With --json
there is one document on standard output, or nothing."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.serving import PATIENCE, ROOT, environment, lucid
from tests.sessions.archive.rotting import flipped
from tests.sessions.writing import Writing

SESSION = Writing().session
BOUNDING_SET_DROP = 24
IGNORE_PERMISSIONS = (1, 2)
"""For writing, and for reading."""


class Place:
    """A home with a session, a compaction, notes, and a memory that can be tidied."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.config, self.memory = root / "home", root / "config", root / "memory"
        self.project = self.config / "projects" / "-home-dev-tidewatch"

    def ends(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """As somebody whom permissions hold, which root is not."""
        return subprocess.run(
            [sys.executable, "-m", "inspector", *arguments],
            cwd=ROOT,
            env=environment(self.home, CLAUDE_CONFIG_DIR=str(self.config), **extra),
            preexec_fn=_obey_permissions,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )


def _obey_permissions() -> None:
    if os.geteuid() == 0:
        for power in IGNORE_PERMISSIONS:
            assert ctypes.CDLL(None).prctl(BOUNDING_SET_DROP, power, 0, 0, 0) == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Place:
    place = Place(tmp_path_factory.mktemp("failures"))
    shutil.copytree(made_home, place.home)
    Writing().turns(3).save(place.project)
    place.memory.mkdir()
    (place.memory / "MEMORY.md").write_text("- [Gone](gone.md) - the keeper wants rope\n- [Tides](tides.md)\n")
    (place.memory / "tides.md").write_text("---\nname: tides\ndescription: when\ntype: user\n---\n\nHigh.\n")
    for arguments in (
        ["import", str(place.config)],
        ["compact", SESSION, "--kind", "full"],
        ["notes", SESSION, "--update"],
    ):
        result = lucid(place.home, *arguments)
        assert (result.returncode, result.stderr) == (0, "")
    place.config.rename(place.root / "kept")  # the archive knows it there, and would repair itself from it
    return place


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Iterator[Place]:
    shutil.copytree(made.root, tmp_path / "place")
    (tmp_path / "place" / "kept").rename(tmp_path / "place" / "config")
    yield Place(tmp_path / "place")
    for path in (tmp_path / "place").rglob("*"):
        path.chmod(0o700)  # pytest puts it away as somebody who may


@contextmanager
def memory_that_cannot_be_written(place: Place) -> Iterator[dict[str, str]]:
    """Where the words of a dangling pointer would go, there is a directory."""
    (place.memory / "recovered-from-index.md").mkdir()
    yield {}


@contextmanager
def memory_that_is_held(place: Place) -> Iterator[dict[str, str]]:
    (place.memory / ".consolidate-lock").write_text(str(os.getpid()))
    yield {}


@contextmanager
def a_file_in_the_way(place: Place) -> Iterator[dict[str, str]]:
    (place.root / "there").write_text("no directory")
    yield {}


@contextmanager
def a_directory_that_cannot_be_written(place: Place) -> Iterator[dict[str, str]]:
    (place.root / "there").mkdir(mode=0o500)
    yield {}


@contextmanager
def notes_that_cannot_be_written(place: Place) -> Iterator[dict[str, str]]:
    """Modes would not do: every command makes the home writable for its owner."""
    shutil.rmtree(place.home / "notes")
    (place.home / "notes").write_text("no directory")
    yield {}


@contextmanager
def memory_that_was_changed(place: Place) -> Iterator[dict[str, str]]:
    result = place.ends("dream", str(place.memory), "--accept", "--json")
    assert (json.loads(result.stdout)["run"], json.loads(result.stdout)["decision"]) == (3, "accepted")
    (place.memory / "MEMORY.md").write_text("changed by somebody else\n")
    yield {}


@contextmanager
def a_transcript_that_cannot_be_read(place: Place) -> Iterator[dict[str, str]]:
    (path,) = place.project.glob("*.jsonl")
    other = path.with_name("22222222-2222-4333-8444-555555555555.jsonl")
    other.write_bytes(path.read_bytes())
    other.chmod(0)
    yield {}


@contextmanager
def a_block_that_is_damaged(place: Place) -> Iterator[dict[str, str]]:
    database = sqlite3.connect(place.home / "lucid.sqlite3")
    with database:
        for key, data in database.execute("SELECT id, data FROM transcripts_block").fetchall():
            database.execute("UPDATE transcripts_block SET data = ? WHERE id = ?", [flipped(data, 4 * len(data)), key])
    database.close()
    shutil.rmtree(place.project)
    yield {}


@contextmanager
def a_database_that_is_held(place: Place) -> Iterator[dict[str, str]]:
    database = sqlite3.connect(place.home / "lucid.sqlite3", isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    try:
        yield {}
    finally:
        database.close()


@contextmanager
def a_recording_that_cannot_be_stored(place: Place) -> Iterator[dict[str, str]]:
    spool = place.home / "captures"
    spool.mkdir(exist_ok=True)
    (spool / ".lock").mkdir()
    yield {}


@contextmanager
def a_backup_that_is_cut_off(place: Place) -> Iterator[dict[str, str]]:
    path = place.root / "backup"
    assert place.ends("backup", str(path)).returncode == 0
    path.write_bytes(path.read_bytes()[:-100])
    yield {}


@contextmanager
def a_server_that_is_not_there(place: Place) -> Iterator[dict[str, str]]:
    yield {"DATABASE_URL": "postgresql://somebody@127.0.0.1:1/lucid"}


@contextmanager
def nothing(place: Place) -> Iterator[dict[str, str]]:
    yield {}


Trouble = Callable[[Place], Any]
CASES: dict[str, tuple[Trouble, list[str], str]] = {
    "dream": (memory_that_cannot_be_written, ["dream", "{memory}", "--accept"], "could not be accepted"),
    "dream held": (memory_that_is_held, ["dream", "{memory}", "--accept"], "holds the lock"),
    "dream nowhere": (nothing, ["dream", "{root}/nowhere"], "is no directory"),
    "compact": (nothing, ["compact", SESSION, "--kind", "partial-from", "--pivot", "nobody"], "nobody"),
    "compact held": (a_database_that_is_held, ["compact", SESSION, "--kind", "full"], "held by another program"),
    "compact damaged": (a_block_that_is_damaged, ["compact", SESSION, "--kind", "full"], "damaged"),
    "export over a file": (a_file_in_the_way, ["export", "1", "--to", "{root}/there"], "there"),
    "export": (a_directory_that_cannot_be_written, ["export", "1", "--to", "{root}/there"], "there"),
    "export of nothing": (nothing, ["export", "99", "--to", "{root}"], "no compaction 99"),
    "notes": (notes_that_cannot_be_written, ["notes", SESSION, "--update"], "notes"),
    "notes damaged": (a_block_that_is_damaged, ["notes", SESSION, "--update"], "damaged"),
    "extract": (nothing, ["extract", SESSION], "set ANTHROPIC_API_KEY"),
    "undo": (memory_that_was_changed, ["memory", "undo", "--run", "3"], "changed meanwhile"),
    "undo of nothing": (nothing, ["memory", "undo", "99"], "99"),
    "check": (a_block_that_is_damaged, ["check"], "the archive is damaged"),
    "repair": (a_block_that_is_damaged, ["check", "--repair"], "no file on disk holds what is missing"),
    "backup": (a_directory_that_cannot_be_written, ["backup", "{root}/there/backup"], "there"),
    "backup over a file": (a_file_in_the_way, ["backup", "{root}/there"], "there"),
    "restore": (a_backup_that_is_cut_off, ["restore", "{root}/backup", "--replace"], "backup"),
    "restore of nothing": (nothing, ["restore", "{root}/nowhere"], "no file"),
    "import": (a_transcript_that_cannot_be_read, ["import", "{config}"], "1 file could not be read"),
    "import nowhere": (nothing, ["import", "{root}/nowhere"], "nowhere"),
    "import away": (a_server_that_is_not_there, ["import", "{config}"], "cannot be used"),
    "capture list": (a_recording_that_cannot_be_stored, ["capture", "list"], "cannot be stored now"),
    "capture show": (nothing, ["capture", "show", "9"], "Nothing was captured as '9'"),
    "recall": (nothing, ["recall", "{root}/nowhere", "tides"], "does not exist"),
}


IN_WORDS = ("dream", "dream held", "check", "import", "capture list")
"""These print what they know before they fail."""


@pytest.mark.parametrize(
    ("case", "wants_json"), [*((case, True) for case in CASES), *((case, False) for case in IN_WORDS)]
)
def test_a_command_that_fails_ends_with_status_1_and_one_line_of_reason(
    place: Place, case: str, *, wants_json: bool
) -> None:
    trouble, words, reason = CASES[case]
    arguments = [word.format_map({name: str(path) for name, path in vars(place).items()}) for word in words]
    with trouble(place) as extra:
        result = place.ends(*arguments, *(["--json"] if wants_json else []), **extra)
    assert result.returncode == 1, result
    assert result.stderr.startswith("lucid: "), result.stderr
    assert (result.stderr.count("\n"), result.stderr[-1]) == (1, "\n"), result.stderr
    assert reason in result.stderr
    assert "unexpectedly" not in result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    if wants_json and result.stdout:
        assert isinstance(json.loads(result.stdout), dict | list)
