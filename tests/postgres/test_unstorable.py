"""Characters that PostgreSQL refuses must neither stop an import nor break a page, and their bytes must be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.startup.postgresql.base import storable_json, storable_text
from tests.postgres.running import fresh_database, probe
from tests.sessions.hostile import everywhere, save_with_family

NUL = "a\0b <i>c</i>"
SESSION = "99999999-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("document", "stored"),
    [
        (r'"a\u0000b"', r'"a\ufffdb"'),
        (r'"a\\u0000b"', r'"a\\u0000b"'),
        (r'"a\\\u0000b"', r'"a\\\ufffdb"'),
        (r'"\ud83c\udf0a"', r'"\ud83c\udf0a"'),
        (r'"\ud83c \udf0a"', r'"\ufffd \ufffd"'),
        (r'"\n\t\" plain"', r'"\n\t\" plain"'),
    ],
)
def test_only_what_cannot_be_stored_is_replaced(document: str, stored: str) -> None:
    assert storable_json(document) == stored


def test_text_is_stored_with_replacement_characters() -> None:
    assert storable_text("a\0b\udcff 潮") == "a\ufffdb? 潮".encode()


def test_a_transcript_full_of_nul_characters_is_imported_like_any_other(tmp_path: Path, postgres_url: str) -> None:
    project = tmp_path / "config" / "projects" / "-home-dev-nul"
    writing = everywhere(NUL, SESSION)
    save_with_family(writing, project, NUL, "plain.txt")
    session = f"/sessions/{SESSION}/"
    pages = ["/", "/sessions/", "/odd/", session, f"{session}?all=1", f"{session}agents/", "/search/?q=a%00b&deep=1"]
    pages += ["/sessions/a%00b/", f"{session}entries/a%00b/", f"{session}results/a%00b/", f"{session}find/?q=%00"]

    asked = {"search": ["b", "identity"], "deep": ["spilled mooring"], "pages": pages}
    found = probe(tmp_path / "postgres", fresh_database(postgres_url), [project.parents[1]], **asked)
    expected = probe(tmp_path / "sqlite", "", [project.parents[1]], **asked)

    assert found["report"]["failed"] == []
    assert (found["report"], found["again"], found["sources"]) == (expected["report"], 0, expected["sources"])
    assert {name: len(rows) for name, rows in found["entries"].items()} == {
        name: len(rows) for name, rows in expected["entries"].items()
    }
    assert [hits[0] for hits in found["search"].values()] == [hits[0] for hits in expected["search"].values()]
    assert {page: status for page, (status, _) in found["pages"].items()} == {
        page: status for page, (status, _) in expected["pages"].items()
    }
    assert all(status < 500 for status, _ in found["pages"].values())
