"""Transcripts and directories that are out to break the import, the pages or the reader's browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from django.test import Client

from sessions.services.sync import sync
from tests.sessions.crawling import crawl
from tests.sessions.hostile import PAYLOAD, SCRIPT, everywhere, save_with_family

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "config" / "projects" / "-home-dev-tidewatch"


def test_nothing_executes_wherever_a_transcript_holds_a_script(client: Client, project: Path) -> None:
    writing = everywhere(PAYLOAD)
    save_with_family(writing, project, PAYLOAD, "<script>alert('name').txt")
    (project / f"{writing.session}.jsonl").open("ab").write(f"{SCRIPT} is no record\n".encode())

    report = sync([project.parents[1]])

    assert (report.failed, report.skipped, report.bad_lines) == ([], [], 1)
    session = f"/sessions/{writing.session}/"
    asked = quote(PAYLOAD)
    filters = [f"/sessions/?{name}={asked}" for name in ("text", "branch", "model", "sort", "since", "project")]
    start = [
        "/",
        session,
        f"{session}?all=1",
        f"{session}agents/",
        f"{session}find/?q={asked}",
        f"{session}live/?after=0",
    ]
    start += [
        "/odd/",
        "/retention/",
        "/import/",
        "/runs/indicator/",
        f"/palette/?q={asked}",
        f"/search/?q={asked}&deep=1",
    ]
    seen = crawl(client, [*start, *filters])
    assert sum(status == 200 for status in seen.values()) > 200
