from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inspector.agents.cancel import CancelToken
from inspector.agents.tools import Toolbox, Writable, writing_tools
from inspector.agents.tools.tool import Outcome


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_bytes(b"one\r\ntwo\r\ntwo\r\n")
    (tmp_path / "secret.md").write_text("mine")
    (tmp_path / "memory-too").mkdir()
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "outside").symlink_to(tmp_path)
    (root / "new-out.md").symlink_to(tmp_path / "not-there.md")
    (root / "in.md").symlink_to(root / "a.md")
    return root


def call(root: Path, name: str, **arguments: Any) -> Outcome:
    return Toolbox(writing_tools(Writable(root, largest=10_000))).call(name, arguments, CancelToken())


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*"))


def test_a_file_is_made_with_the_directories_on_the_way(root: Path) -> None:
    outcome = call(root, "Write", file_path="logs/2026/x.md", content="Grüße\n")
    assert (root / "logs/2026/x.md").read_text() == "Grüße\n"
    assert (outcome.is_error, outcome.touched) == (False, (str(root / "logs/2026/x.md"),))


def test_a_file_is_rewritten_and_keeps_its_mode(root: Path) -> None:
    (root / "a.md").chmod(0o600)
    assert not call(root, "Write", file_path=str(root / "a.md"), content="new").is_error
    assert (root / "a.md").read_text() == "new"
    assert (root / "a.md").stat().st_mode & 0o777 == 0o600
    assert not [name for name in names(root) if name.startswith(".lucid-")]


def test_a_link_that_stays_inside_is_written_through(root: Path) -> None:
    call(root, "Write", file_path="in.md", content="new")
    assert (root / "in.md").is_symlink()
    assert (root / "a.md").read_text() == "new"


@pytest.mark.parametrize("name", ["Write", "Edit"])
@pytest.mark.parametrize(
    "path",
    [
        *("../secret.md", "out.md", "outside/secret.md", "outside/fresh.md", "new-out.md", "/etc/passwd", "~/x.md"),
        *(".", "", "sub/../..", "../memory-too/x.md", "a\0b", "outside/../x.md"),
    ],
)
def test_nothing_outside_is_changed_or_made(root: Path, name: str, path: str) -> None:
    before = names(root.parent)
    outcome = call(root, name, file_path=path, content="x", old_string="mine", new_string="yours")
    assert outcome.denial is not None
    assert outcome.touched == ()
    assert (root.parent / "secret.md").read_text() == "mine"
    assert names(root.parent) == before


def test_a_text_is_replaced_once_or_everywhere(root: Path) -> None:
    assert not call(root, "Edit", file_path="a.md", old_string="one", new_string="1").is_error
    assert "2 times" in call(root, "Edit", file_path="a.md", old_string="two", new_string="2").text
    outcome = call(root, "Edit", file_path="a.md", old_string="two", new_string="2", replace_all=True)
    assert outcome.text == "a.md was changed in 2 places."
    assert (root / "a.md").read_bytes() == b"1\r\n2\r\n2\r\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "three", "new_string": "x"},
        {"old_string": "", "new_string": "x"},
        {"old_string": "one", "new_string": "one"},
        {"old_string": "one", "new_string": "x" * 20_000},
        {"old_string": "one"},
        {"old_string": "one", "new_string": "\ud800"},
        {"old_string": "one", "new_string": "x", "file_path": "missing.md"},
        {"old_string": "one", "new_string": "x", "file_path": "sub"},
    ],
)
def test_an_edit_that_makes_no_sense_changes_nothing(root: Path, arguments: dict[str, Any]) -> None:
    outcome = call(root, "Edit", **{"file_path": "a.md", **arguments})
    assert (outcome.is_error, outcome.denial) == (True, None)
    assert (root / "a.md").read_bytes() == b"one\r\ntwo\r\ntwo\r\n"


def test_what_is_no_regular_file_is_not_written(root: Path) -> None:
    os.mkfifo(root / "fifo")
    assert call(root, "Write", file_path="fifo", content="x").denial is not None
    assert call(root, "Write", file_path="sub", content="x").is_error
    assert call(root, "Write", file_path="a.md/b.md", content="x").is_error
    assert call(root, "Write", file_path="big.md", content="x" * 20_000).is_error
    assert not (root / "big.md").exists()


def test_only_one_file_may_be_changed_if_so_wanted(root: Path) -> None:
    box = Toolbox(writing_tools(Writable(root, only=Path("a.md"))))
    assert box.call("Write", {"file_path": "b.md", "content": "x"}, CancelToken()).denial is not None
    assert not box.call("Write", {"file_path": "in.md", "content": "x"}, CancelToken()).is_error
    assert (root / "a.md").read_text() == "x"


@pytest.mark.parametrize("path", ["two\nlines.md", "gnp\u202e.md", "sub\u2066/a.md", "tab\t.md"])
def test_no_file_gets_a_name_that_nobody_can_read(root: Path, path: str) -> None:
    before = names(root)
    outcome = call(root, "Write", file_path=path, content="x")
    assert outcome.denial is not None
    assert names(root) == before
