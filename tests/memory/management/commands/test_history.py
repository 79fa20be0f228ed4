"""`lucid memory history` and `lucid memory undo`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.files.services.writing import delete, memory_change, write
from memory.models import Cause
from tests.memory.remembering import Shelf
from tests.serving import lucid

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "memory")


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("memory", *arguments, stdout=out)
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_history_lists_changes_of_a_directory_and_versions_of_a_file(shelf: Shelf) -> None:
    shelf.outside("a.md", b"one\n")
    shelf.scan()
    shelf.write("a.md", "one\ntwo\n")
    shelf.outside("a.md", b"one\ntwo\nthree\n")
    changes = document("history", str(shelf.path))
    assert [(change["cause"], change["files"]) for change in changes] == [
        ("outside", [{"file": "a.md", "action": "changed", "version": 3}]),
        ("edit", [{"file": "a.md", "action": "changed", "version": 2}]),
        ("first", [{"file": "a.md", "action": "created", "version": 1}]),
    ]
    versions = document("history", str(shelf.path), "a.md", "--diff", "--limit", "1")
    assert [(version["version"], version["diff"]) for version in versions] == [(3, [" one", " two", "+three", " "])]
    assert "changed a.md" in run("history", str(shelf.path), "a.md")


def test_undo_takes_a_change_back_by_its_number(shelf: Shelf) -> None:
    shelf.write("a.md", "one\n")
    batch = shelf.delete("a.md")
    undone = document("undo", str(batch.pk))
    assert undone["undoes"] == batch.pk
    assert undone["files"] == [{"file": "a.md", "action": "created"}]
    assert shelf.all() == {"a.md": b"one\n"}


def test_undo_takes_back_what_a_run_did(shelf: Shelf) -> None:
    shelf.write("a.md", "one\n")
    moves = [delete(shelf.directory, "a.md", shelf.digest("a.md") or ""), write(shelf.directory, "b.md", "b\n", None)]
    memory_change(moves=moves, cause=Cause.RUN, run_id=5)
    assert "created a.md" in run("undo", "--run", "5")
    assert shelf.all() == {"a.md": b"one\n"}
    with pytest.raises(CommandError, match="Run 5 has changed no memory that is not undone"):
        run("undo", "--run", "5")


def test_an_undo_that_would_lose_something_fails_with_a_reason(shelf: Shelf) -> None:
    batch = shelf.write("a.md", "one\n")
    shelf.outside("a.md", b"theirs\n")
    with pytest.raises(CommandError, match=r"a\.md was changed meanwhile\. Nothing was written\."):
        run("undo", str(batch.pk))
    assert shelf.all() == {"a.md": b"theirs\n"}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("undo", "99"), "There is no change 99"),
        (("undo",), "Give the number of a change"),
        (("undo", "1", "--run", "1"), "Give the number of a change"),
    ],
)
def test_what_cannot_be_undone_is_said(arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        run(*arguments)


def test_a_file_that_never_was_is_said(shelf: Shelf) -> None:
    with pytest.raises(CommandError, match=r"Nothing is known of never\.md"):
        run("history", str(shelf.path), "never.md")


def test_the_first_history_makes_its_own_database(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "a.md").write_text("one\n")
    result = lucid(tmp_path / "home", "memory", "history", str(folder), "--json")
    assert [change["cause"] for change in json.loads(result.stdout)] == ["first"]
