"""What scripts rely on: the keys of each answer, one JSON document on standard output, and the exit status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.serving import lucid
from tests.sessions.writing import Writing

SECRET = "sk-ant-api03-" + "a1B2c3D4" * 11
OLD_TERMINAL = {"PYTHONIOENCODING": "ascii"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Path:
    """One home for all: each command is a process of its own, and only reads after the import."""
    folder = tmp_path_factory.mktemp("commands")
    written = Writing().turns(2)
    written.user(f"The walrus of Bodø … is {SECRET}")
    written.state("tide-signal")
    path = written.save(folder / "config" / "projects" / "-home-dev-tidewatch")
    path.write_bytes(path.read_bytes() + b"no record\n")
    shutil.copytree(made_home, folder / "home")
    assert lucid(folder / "home", "import", str(folder / "config")).returncode == 0
    return folder / "home"


def answer(home: Path, *arguments: str, **extra: str) -> Any:
    result = lucid(home, *arguments, "--json", **extra)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_an_import_tells_what_it_found(home: Path) -> None:
    output = answer(home, "import", str(home.parent / "config"))
    assert output.keys() >= {"files", "bytes", "entries", "new_entries", "bad_lines", "unknown_types", "seconds"}
    assert (output["files"], output["new_entries"], output["rows_written"]) == (1, 0, 0)
    assert (output["lines"], output["entries"], output["bad_lines"]) == (11, 10, 1)
    assert output["unknown_types"] == {"tide-signal": 1}


def test_sessions_come_with_their_totals(home: Path) -> None:
    (session,) = answer(home, "sessions", **OLD_TERMINAL)
    assert session.keys() >= {
        *("id", "project", "title", "entries", "first", "last", "models", "tokens", "cost_usd", "compactions"),
        "cache_breaks",
    }
    assert (session["id"], session["project"]) == (Writing().session, "/home/dev/tidewatch")
    assert (session["entries"], session["requests"]) == (10, 4)
    assert session["first"].endswith("Z")


def test_requests_come_in_order_with_what_each_used(home: Path) -> None:
    requests = answer(home, "requests", Writing().session[:6])
    assert len(requests) == 4
    assert requests[0].keys() >= {
        *("message_id", "request_id", "agent", "model", "at", "input", "cache_read", "cache_write_5m"),
        *("cache_write_1h", "output", "cost_usd"),
    }
    assert [request["at"] for request in requests] == sorted(request["at"] for request in requests)
    assert {request["agent"] for request in requests} == {None}


@pytest.mark.parametrize("deep", [(), ("--deep",)])
def test_hits_say_where_they_are_and_mask_secrets(home: Path, deep: tuple[str, ...]) -> None:
    (hit,) = answer(home, "search", "walrus", *deep, **OLD_TERMINAL)
    assert hit.keys() >= {"session", "entry", "at", "role", "snippet"}
    assert hit["session"] == Writing().session
    assert "of Bodø … is" in hit["snippet"]
    assert "a1B2c3D4" not in hit["snippet"] + hit["title"]


def test_what_a_terminal_cannot_show_does_not_stop_it(home: Path) -> None:
    result = lucid(home, "search", "walrus", **OLD_TERMINAL)
    assert (result.returncode, result.stderr) == (0, "")
    assert "of Bod? ? is" in result.stdout
    assert "a1B2c3D4" not in result.stdout


@pytest.mark.parametrize("nothing", ["nowhere", '"'])
def test_to_find_nothing_is_an_empty_answer(home: Path, nothing: str) -> None:
    assert answer(home, "search", nothing) == []


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["import", "/nowhere", "--json"], 1, "/nowhere does not exist."),
        (["requests", "nosuch", "--json"], 1, "No session begins with 'nosuch'."),
        (["requests", "--json"], 2, "SESSION"),
        (["search", "walrus", "--limit", "0", "--json"], 2, "it must be 1 or more, not 0"),
        (["sessions", "--everything", "--json"], 2, "--everything"),
    ],
)
def test_a_refusal_leaves_standard_output_empty(home: Path, arguments: list[str], status: int, reason: str) -> None:
    result = lucid(home, *arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert reason in result.stderr
