"""Directories that somebody prepared, or that went wrong: each thing is told, nothing hangs, nothing is followed."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.files.engine.reading import DirectoryMissingError, read_directory
from memory.files.engine.reading import directory as reading
from memory.files.engine.reading.regular_files import open_regular
from memory.lint.engine import Surroundings, lint

HEADER = b"---\nname: x\ndescription: d\ntype: user\n---\n"


def rules(folder: Path) -> set[tuple[str, str]]:
    findings = lint(read_directory(folder), Surroundings(now=datetime(2026, 11, 16, tzinfo=UTC)))
    assert all(finding.message.endswith((".", "”", ")", "…", "`")) for finding in findings)
    for finding in {(finding.rule, finding.file): finding for finding in findings}.values():
        if finding.fix:
            finding.fix.changes()
    return {(finding.rule, finding.file) for finding in findings}


def test_each_hostile_file_gets_its_finding(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret")
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "large.md").write_bytes(HEADER + b"word " * 2_100_000)
    (folder / "binary.md").write_bytes(bytes(range(256)) * 40)
    (folder / "latin.md").write_bytes(HEADER + "Höhe".encode("latin-1"))
    (folder / "wide.md").write_bytes("Höhe".encode("utf-16"))
    (folder / "out.md").symlink_to(tmp_path / "outside.md")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    (folder / "name\udcff.md").write_bytes(HEADER)
    (folder / "MEMORY.md").write_text("- [A](a.md) — x\n" * 100_000)
    result = rules(folder)
    assert {
        ("too-large", "large.md"),
        ("binary", "binary.md"),
        ("not-utf-8", "latin.md"),
        ("not-utf-8", "wide.md"),
        ("symlink", "out.md"),
        ("symlink", "loop.md"),
        ("symlink", "round"),
        ("not-a-file", "pipe.md"),
        ("index-too-long", "MEMORY.md"),
        ("dangling-pointer", "MEMORY.md"),
        ("orphan-topic", "name\U000fdcff.md"),
    } <= result
    assert "secret" not in "".join(file.text for file in read_directory(folder).files)


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable for root")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(HEADER)
    (tmp_path / "x.md").chmod(0)
    assert ("unreadable", "x.md") in rules(tmp_path)


def test_a_file_that_is_gone_between_the_look_and_the_reading_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.md").write_bytes(HEADER)
    (tmp_path / "y.md").write_bytes(HEADER)

    def gone(path: str, *, follow: bool) -> object:
        if path.endswith("x.md"):
            raise FileNotFoundError(2, "No such file or directory")
        return open_regular(path, follow=follow)

    monkeypatch.setattr(reading, "open_regular", gone)
    assert ("unreadable", "x.md") in rules(tmp_path)


def test_files_beyond_the_limits_are_listed_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST", 100)
    monkeypatch.setattr(reading, "MOST_BYTES", 150)
    monkeypatch.setattr(reading, "MOST_FILES", 3)
    for name in "abcd":
        (tmp_path / f"{name}.md").write_bytes(HEADER + b"x" * 100)
    directory = read_directory(tmp_path)
    assert [(file.name, len(file.data), file.is_whole) for file in directory.files] == [
        ("a.md", 100, False),
        ("b.md", 50, False),
        ("c.md", 0, False),
    ]
    assert [problem.rule for problem in directory.problems] == ["too-many-files"]


def test_directories_that_nest_without_end_are_left_alone(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijkl")
    deep.mkdir(parents=True)
    (deep / "x.md").write_bytes(HEADER)
    directory = read_directory(tmp_path)
    assert (directory.files, [problem.rule for problem in directory.problems]) == ((), ["too-deep"])


def test_no_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DirectoryMissingError, match="does not exist"):
        read_directory(tmp_path / "none")
    with pytest.raises(DirectoryMissingError, match="is no directory"):
        read_directory(tmp_path / "file")


@pytest.mark.parametrize("value", ["[" * 320, "[" * 100_000 + "]" * 100_000, "{a: " * 320, "[{a: [" * 200 + "'"])
def test_brackets_in_brackets_are_a_finding_of_their_file_alone(tmp_path: Path, value: str) -> None:
    (tmp_path / "deep.md").write_text(f"---\nname: deep\ndescription: {value}\ntype: user\n---\n\nText.\n")
    (tmp_path / "sound.md").write_bytes(HEADER)
    result = rules(tmp_path)
    assert ("invalid-yaml", "deep.md") in result
    assert ("invalid-yaml", "sound.md") not in result
