from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inspector.agents.cancel import CancelToken
from inspector.agents.errors import CancelledError
from inspector.agents.tools import Readable, Toolbox, reading_tools
from inspector.agents.tools.glob import as_regex
from inspector.agents.tools.tool import Outcome


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "a.md").write_text("one\ntwo\nthree\n")
    (root / "sub" / "b.md").write_text("Two\n")
    (root / "sub" / "deep" / "c.txt").write_text("two\n")
    (tmp_path / "secret.md").write_text("two\n")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "loop").symlink_to(root)
    return root


def call(root: Path, name: str, **arguments: Any) -> Outcome:
    return Toolbox(reading_tools(Readable((root,)))).call(name, arguments, CancelToken())


def test_lines_are_read_with_their_numbers(root: Path) -> None:
    assert call(root, "Read", file_path="a.md").text == "     1\tone\n     2\ttwo\n     3\tthree"
    assert call(root, "Read", file_path=str(root / "a.md"), offset=2, limit=1).text == (
        "     2\ttwo\n(more follows; read on with offset 3)"
    )
    assert "no such lines" in call(root, "Read", file_path="a.md", offset=9).text


def test_long_lines_and_files_are_cut(root: Path) -> None:
    (root / "long").write_text("x" * 5000 + "\n" + ("y" * 1999 + "\n") * 300)
    text = call(root, "Read", file_path="long").text
    assert "(line cut)" in text
    assert text.endswith("read on with offset 52)")


@pytest.mark.parametrize("path", ["../secret.md", "out.md", "/etc/passwd", "~/x", "", "a\0b", "loop/../../secret.md"])
def test_what_lies_outside_is_denied_and_recorded(root: Path, path: str) -> None:
    outcome = call(root, "Read", file_path=path)
    assert outcome.is_error
    assert outcome.denial is not None
    assert (outcome.denial.tool, outcome.denial.input) == ("Read", {"file_path": path})
    assert outcome.denial.reason in outcome.text
    assert outcome.result("toolu_1")["is_error"] is True


def test_a_device_or_a_pipe_is_denied(root: Path) -> None:
    os.mkfifo(root / "fifo")
    assert call(root, "Read", file_path="fifo").denial is not None


@pytest.mark.parametrize(
    "arguments",
    [
        {"file_path": "missing.md"},
        {"file_path": "sub"},
        {"file_path": 3},
        {},
        {"file_path": "a.md", "offset": "x"},
        {"file_path": "a.md", "limit": True},
        {"file_path": "\ud800"},
        {"file_path": "x" * 5000},
    ],
)
def test_what_cannot_be_done_is_an_error_but_no_crash(root: Path, arguments: dict[str, Any]) -> None:
    assert call(root, "Read", **arguments).is_error


def test_binary_files_are_not_read(root: Path) -> None:
    (root / "b").write_bytes(b"a\0b")
    assert "not a text file" in call(root, "Read", file_path="b").text


def test_grep_finds_files_lines_and_counts(root: Path) -> None:
    lines = call(root, "Grep", pattern="tw[o]").text.splitlines()
    assert set(lines) == {str(root / "sub/deep/c.txt"), str(root / "a.md")}
    assert call(root, "Grep", pattern="two", output_mode="content", glob="*.md").text == f"{root}/a.md:2:two"
    assert call(root, "Grep", pattern="TWO", output_mode="count", ignore_case=True, path="sub/b.md").text == "1"
    assert call(root, "Grep", pattern="-e").text == "(no matches)"
    assert "(2 more lines)" in call(root, "Grep", pattern="t|o", output_mode="content", path="a.md", head_limit=1).text


def test_grep_denies_and_fails_clearly(root: Path) -> None:
    assert call(root, "Grep", pattern="x", path="..").denial is not None
    assert call(root, "Grep", pattern="(").is_error
    assert call(root, "Grep", pattern="x", output_mode="all").is_error


def test_glob_finds_files_newest_first(root: Path) -> None:
    os.utime(root / "a.md", (1, 1))
    assert call(root, "Glob", pattern="**/*.md").text.splitlines()[-1] == str(root / "a.md")
    assert call(root, "Glob", pattern="*.txt", path="sub/deep").text == str(root / "sub/deep/c.txt")
    assert call(root, "Glob", pattern="*.none").text == "(no files)"


@pytest.mark.parametrize("arguments", [{"pattern": "../*"}, {"pattern": "/etc/*"}, {"pattern": "*", "path": ".."}])
def test_glob_stays_inside(root: Path, arguments: dict[str, Any]) -> None:
    assert call(root, "Glob", **arguments).denial is not None


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("*.md", ["a.md", ".md"], ["sub/a.md", "a.mdx"]),
        ("**/*.md", ["a.md", "x/y/a.md"], ["a.txt"]),
        ("sub/**", ["sub/a", "sub/b/c"], ["a"]),
        ("[ab]?.[!x]", ["ab.y"], ["ab.x", "cb.y", "ab./"]),
        ("a+b(c).md", ["a+b(c).md"], ["aab(c).md"]),
        ("[", ["["], ["a"]),
    ],
)
def test_patterns_mean_what_they_do_elsewhere(pattern: str, matches: list[str], others: list[str]) -> None:
    form = as_regex(pattern)
    assert [name for name in [*matches, *others] if form.fullmatch(name)] == matches


def test_a_tool_that_is_not_there_is_denied(root: Path) -> None:
    outcome = call(root, "WebFetch", url="https://example.com")
    assert outcome.denial is not None
    assert "WebFetch is not available" in outcome.text


def test_bash_is_another_name_for_the_shell(root: Path) -> None:
    assert call(root, "Bash", command="wc -l a.md", description="count").text == "3 a.md"


def test_a_stopped_tool_is_not_an_error_result(root: Path) -> None:
    token = CancelToken()
    token.cancel()
    for name, arguments in (("Grep", {"pattern": "x"}), ("Glob", {"pattern": "*"}), ("Shell", {"command": "ls"})):
        with pytest.raises(CancelledError):
            Toolbox(reading_tools(Readable((root,)))).call(name, arguments, token)
