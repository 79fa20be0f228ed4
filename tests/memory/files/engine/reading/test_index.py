"""The index and its entries, links and directories as a whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.files.engine.reading import (
    INDEX_NAME,
    FileKind,
    directory_from_contents,
    format_entry,
    parse_file,
    read_directory,
    read_index,
)

DEMO = Path(__file__).parents[5] / "sessions" / "demo" / "projects" / "-home-dev-tidewatch" / "memory"


def entries(line: str) -> list[tuple[str, str, str]]:
    index = read_index(parse_file(INDEX_NAME, line.encode()))
    return [(entry.title, entry.target, entry.hook) for entry in index.entries]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("- [A title](a.md) — why", [("A title", "a.md", "why")]),
        ("* [A](./a.md): why — so", [("A", "a.md", "why — so")]),
        ("1. [A](a%20b.md)", [("A", "a b.md", "")]),
        ("- [A](a.md) - one · [B](b.md) - two", [("A", "a.md", "one ·"), ("B", "b.md", "two")]),
        ("- [A](../../plans/x.md) — outside", [("A", "", "outside")]),
        ("- [A](https://a.b/c.md) — web", [("A", "", "web")]),
        ("- [A](/etc/x.md)", [("A", "", "")]),
        ("- [[a-name]] — hook", [("a-name", "a-name.md", "")]),
        ("# A heading", []),
        ("- plain (a.md)", []),
    ],
)
def test_lines_of_an_index(line: str, found: list[tuple[str, str, str]]) -> None:
    assert entries(line) == found


def test_a_line_that_is_written_can_be_read() -> None:
    assert entries(format_entry("A title", "a.md", "why")) == [("A title", "a.md", "why")]


def test_other_lines_are_kept() -> None:
    text = "# Memory\r\n\r\nSome prose.\r\n- [A](a.md) — b\r\n"
    index = read_index(parse_file(INDEX_NAME, text.encode()))
    assert [line.text for line in index.lines] == ["# Memory", "", "Some prose.", "- [A](a.md) — b"]
    assert index.file.data == text.encode()


def test_a_topic_is_read_with_its_links_and_dates() -> None:
    data = (
        b"---\nname: a\nmodified: 2026-05-01T10:00:00Z\n---\nSee [[other|this]], [x](sub/x.md), [web](https://a.b).\n"
    )
    file = parse_file("a.md", data, mtime_ns=1)
    assert [(link.target, link.line) for link in file.links] == [("other.md", 5), ("sub/x.md", 5)]
    assert file.modified_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert parse_file("a.md", b"x", mtime_ns=86_400 * 10**9).modified_at == datetime(1970, 1, 2, tzinfo=UTC)


def test_the_kind_of_a_file_follows_from_its_path() -> None:
    names = ["MEMORY.md", "a.md", "logs/2026/11/03.md", "logs/2026/11/2026-11-03.md", "logs/2026/13/03.md", "x.txt"]
    kinds = [FileKind.INDEX, FileKind.TOPIC, FileKind.LOG, FileKind.LOG, FileKind.TOPIC, FileKind.OTHER]
    assert [parse_file(name, b"").kind for name in names] == kinds


def test_the_demo_is_read_from_disk_as_from_memory() -> None:
    there = read_directory(DEMO)
    assert len(there.topics) == 14
    assert "user-dev.md" in there.index.loaded_targets
    assert "orphan-moorings.md" not in there.index.loaded_targets
    made = directory_from_contents(there.path, {file.name: file.data for file in there.files})
    assert [file.header for file in made.files] == [file.header for file in there.files]
