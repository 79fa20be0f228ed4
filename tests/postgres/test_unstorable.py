"""Characters that PostgreSQL refuses must neither stop an import nor break a page, and their bytes must be kept."""

from __future__ import annotations

from pathlib import Path

from tests.postgres.running import fresh_database, probe
from tests.sessions.hostile import everywhere, save_with_family

NUL = "a\0b <i>c</i>"
SESSION = "99999999-2222-4333-8444-555555555555"


def test_a_transcript_full_of_nul_characters_is_imported_like_any_other(tmp_path: Path, postgres_url: str) -> None:
    project = tmp_path / "config" / "projects" / "-home-dev-nul"
    writing = everywhere(NUL, SESSION)
    save_with_family(writing, project, NUL, "plain.txt")
    session = f"/sessions/{SESSION}/"
    pages = ["/", "/sessions/", "/odd/", session, f"{session}?all=1", f"{session}agents/", "/search/?q=a%00b&deep=1"]
    pages += ["/sessions/a%00b/", f"{session}entries/a%00b/", f"{session}results/a%00b/", f"{session}find/?q=%00"]

    parameters = {"search": ["b", "identity"], "deep": ["spilled mooring"], "pages": pages}
    result = probe(tmp_path / "postgres", fresh_database(postgres_url), [project.parents[1]], **parameters)
    expected = probe(tmp_path / "sqlite", "", [project.parents[1]], **parameters)

    assert result["report"]["failed"] == []
    for report in (result["report"], expected["report"]):
        assert len(report.pop("unknown_types")) == 1
    assert (result["report"], result["again"], result["sources"]) == (expected["report"], 0, expected["sources"])
    assert {name: len(rows) for name, rows in result["entries"].items()} == {
        name: len(rows) for name, rows in expected["entries"].items()
    }
    assert [hits[0] for hits in result["search"].values()] == [hits[0] for hits in expected["search"].values()]
    assert {page: status for page, (status, _) in result["pages"].items()} == {
        page: status for page, (status, _) in expected["pages"].items()
    }
    assert all(status < 500 for status, _ in result["pages"].values())
