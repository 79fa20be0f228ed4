from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.files.engine.disk import DirectoryGoneError, FileContent, Folder
from memory.recall.engine import MOST_FILES, scan_memory
from tests.memory.files.services.test_faults import in_a_process, without_the_powers_of_root
from tests.memory.recall.engine.shelves import put, topic


def test_the_index_and_what_is_no_markdown_are_not_scanned_and_the_newest_comes_first(tmp_path: Path) -> None:
    put(tmp_path, "MEMORY.md", "- [Tides](tides.md)\n")
    put(tmp_path, "notes.txt", "no memory")
    put(tmp_path, "tides.md", topic("When they come"), days=3)
    put(tmp_path, "deep/boats.md", topic("Which sail", kind="user"), days=1)

    with Folder(tmp_path) as folder:
        scan = scan_memory(folder)

    assert [(file.name, file.description, file.type) for file in scan.files] == [
        ("deep/boats.md", "Which sail", "user"),
        ("tides.md", "When they come", "feedback"),
    ]
    assert (scan.total, scan.older, scan.skipped) == (2, 0, ())


def test_of_many_only_the_two_hundred_newest_are_opened(tmp_path: Path) -> None:
    for number in range(600):
        put(tmp_path, f"m{number:04}.md", "x", days=number)
    opened: list[str] = []

    class Watched(Folder):
        def read_beginning(self, name: str, most: int) -> FileContent | None:
            opened.append(name)
            return super().read_beginning(name, most)

    with Watched(tmp_path) as folder:
        scan = scan_memory(folder)

    assert (len(scan.files), scan.total, scan.older, scan.skipped) == (200, 600, 400, ())
    assert opened == [f"m{number:04}.md" for number in range(MOST_FILES)]


def test_a_header_that_does_not_end_within_thirty_lines_says_nothing(tmp_path: Path) -> None:
    lines = "".join(f"key{number}: x\n" for number in range(40))
    put(tmp_path, "long.md", f"---\ndescription: far\n{lines}---\nText\n")
    put(tmp_path, "short.md", f"---\n{lines[:56]}description: near\n---\nText\n", days=1)

    with Folder(tmp_path) as folder:
        descriptions = {file.name: file.description for file in scan_memory(folder).files}

    assert descriptions == {"long.md": "", "short.md": "near"}


def test_what_cannot_be_read_is_passed_over_with_a_reason(tmp_path: Path) -> None:
    put(tmp_path, "good.md", topic("Good"))
    put(tmp_path, "binary.md", b"\x89PNG\0\0\1\2")
    huge = put(tmp_path, "huge.md", topic("Huge"))
    os.truncate(huge, 300 * 1024 * 1024)
    put(tmp_path, "latin.md", "Größe der Boote".encode("latin-1"))
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.md")

    with Folder(tmp_path) as folder:
        scan = scan_memory(folder)

    assert {file.name: file.why for file in scan.skipped} == {
        "binary.md": "The file holds no text.",
        "huge.md": "The file holds no text.",  # it is mostly zeros
    }
    assert {file.name for file in scan.files} == {"good.md", "latin.md"}


def test_a_file_that_may_not_be_read_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "good.md", topic("Good"))
    put(tmp_path, "closed.md", topic("Closed"))
    os.chmod(tmp_path / "closed.md", 0)

    def work() -> None:
        without_the_powers_of_root()
        with Folder(tmp_path) as folder:
            scan = scan_memory(folder)
        assert [file.name for file in scan.files] == ["good.md"]
        assert "may not be" in scan.skipped[0].why

    assert in_a_process(work)() == 0


def test_a_file_that_vanishes_between_list_and_look_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "A")
    put(tmp_path, "b.md", "B", days=1)

    class Racing(Folder):
        def read_beginning(self, name: str, most: int) -> FileContent | None:
            (tmp_path / "b.md").unlink(missing_ok=True)
            return super().read_beginning(name, most)

    with Racing(tmp_path) as folder:
        scan = scan_memory(folder)

    assert [file.name for file in scan.files] == ["a.md"]
    assert [file.why for file in scan.skipped] == ["The file was deleted before it could be read."]


def test_a_directory_that_is_not_there_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(DirectoryGoneError), Folder(tmp_path / "none") as folder:
        scan_memory(folder)
