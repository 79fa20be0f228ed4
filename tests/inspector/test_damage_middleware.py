"""The command line beside bad hardware: one damaged session is named, and the others are told of as ever."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.serving import lucid
from tests.sessions.archive.rotting import flipped
from tests.sessions.writing import Writing

DAMAGED = "55555555-2222-4333-8444-555555555555"
SOUND = "66666666-2222-4333-8444-555555555555"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Path:
    """Two sessions whose prompt cache dropped; the file of the one is gone, and its block is damaged."""
    folder = tmp_path_factory.mktemp("damage")
    for session in (DAMAGED, SOUND):
        writing = Writing(session=session)
        for number in range(6):
            writing.user(f"How high is the walrus {number}?")
            usage = {"input_tokens": 9, "cache_read_input_tokens": 60_000 if number != 3 else 0, "output_tokens": 5}
            usage["cache_creation_input_tokens"] = 60_000 if number == 3 else 100
            writing.assistant(f"High, at {number}.", usage=usage)
        writing.save(folder / "config" / "projects" / "-home-dev-tidewatch")
    shutil.copytree(made_home, folder / "home")
    result = lucid(folder / "home", "import", str(folder / "config"))
    assert result.returncode == 0, result.stderr
    with closing(sqlite3.connect(folder / "home" / "lucid.sqlite3", timeout=30)) as connection, connection:
        joined = "transcripts_block b JOIN transcripts_source s ON s.id = b.id >> 24"
        sql = f"SELECT b.id, b.data FROM {joined} WHERE s.path LIKE ?"
        pk, data = connection.execute(sql, [f"%{DAMAGED}%"]).fetchone()
        rotten = flipped(data, 8 * len(data) // 2)
        connection.execute("UPDATE transcripts_block SET data = ? WHERE id = ?", [rotten, pk])
    return folder


@pytest.fixture
def home(tmp_path: Path, made: Path) -> Path:
    return shutil.copytree(made / "home", tmp_path / "home")


@pytest.fixture
def file(tmp_path: Path, made: Path) -> Iterator[Path]:
    """Of the damaged session; if a test removes it, it is put back as the same file."""
    path = made / "config" / "projects" / "-home-dev-tidewatch" / f"{DAMAGED}.jsonl"
    (tmp_path / "kept").hardlink_to(path)
    yield path
    if not path.exists():
        path.hardlink_to(tmp_path / "kept")


def test_lists_of_all_sessions_go_on_and_name_the_damaged_one(home: Path, file: Path) -> None:
    file.unlink()
    result = lucid(home, "sessions", "--json")
    assert result.returncode == 0, result.stderr
    output = {item["id"]: item for item in json.loads(result.stdout)}
    assert output.keys() == {DAMAGED, SOUND}
    assert output[SOUND]["damage"] is None
    assert output[SOUND]["cache_breaks"] is not None
    assert "are damaged in the archive" in output[DAMAGED]["damage"]
    assert f"{DAMAGED}: Bytes 0 to" in result.stderr
    assert "Traceback" not in result.stderr


def test_searches_go_on_too(home: Path, file: Path) -> None:
    file.unlink()
    result = lucid(home, "search", "walrus", "--deep", "--json")
    assert result.returncode == 0, result.stderr
    hits = json.loads(result.stdout)
    assert {hit["session"] for hit in hits if not hit["damage"]} == {SOUND}
    assert {hit["session"] for hit in hits if hit["damage"]} == {DAMAGED}
    assert f"{DAMAGED}.jsonl: Bytes 0 to" in result.stderr


@pytest.mark.parametrize("command", [("context",), ("context", "--every-request"), ("cache",)])
def test_a_command_about_the_damaged_session_fails_with_a_sentence(
    home: Path, file: Path, command: tuple[str, ...]
) -> None:
    file.unlink()
    result = lucid(home, command[0], DAMAGED, *command[1:], "--json")
    assert (result.returncode, result.stdout) == (1, "")
    assert "are damaged in the archive" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_its_requests_are_rows_and_still_told(home: Path, file: Path) -> None:
    file.unlink()
    result = lucid(home, "requests", DAMAGED, "--json")
    assert (result.returncode, len(json.loads(result.stdout))) == (0, 6)


def test_a_check_says_what_is_damaged_and_a_repair_brings_it_back(home: Path, file: Path) -> None:
    result = lucid(home, "check", "--json")
    assert result.returncode == 1
    data = json.loads(result.stdout)
    assert (data["blocks"], data["damaged"]) == (2, 1)
    size = file.stat().st_size
    assert {key: data["damage"][0][key] for key in ("session", "range", "repairable")} == {
        "session": DAMAGED,
        "range": [0, size],
        "repairable": True,
    }
    assert "lucid check --repair" in result.stderr
    repaired = lucid(home, "check", "--repair", "--json")
    assert repaired.returncode == 0, repaired.stderr
    assert json.loads(repaired.stdout)["repaired"] == 1
    file.unlink()
    assert lucid(home, "context", DAMAGED, "--json").returncode == 0
    assert lucid(home, "check").returncode == 0
