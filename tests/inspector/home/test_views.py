from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from inspector.runs.models import Run
from sessions.models import Oddity, Request, Source, Transcript
from tests.pages import fetch
from tests.sessions.made import DAY, HOSTILE, session

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def config(settings: Settings, tmp_path: Path) -> Path:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    return tmp_path


def now() -> int:
    return int(time.time() * 1000)


def importing(**fields: Any) -> Run:
    progress = {"files": 3, "files_total": 10, "bytes": 2_097_152, "bytes_total": 8_388_608, "entries": 500}
    given = {"kind": "import", "status": "running", "progress": progress, "created_at": now()}
    return Run.objects.create(**{**given, "started_at": now() - 2000, "heartbeat_at": now(), **fields})


def page(client: Client) -> str:
    return fetch(client, "/")


def test_a_newcomer_is_told_how_to_start(client: Client) -> None:
    html = page(client)
    assert "No sessions yet" in html
    assert "lucid serve --demo" in html


def test_a_running_import_shows_files_size_rate_and_remaining_time(client: Client) -> None:
    importing()
    html = page(client)
    assert "3 of 10 files · 2.0 MB of 8.0 MB" in html
    assert re.search(r"\d+ [KM]B/s · ~\d+(\.\d)?s left", html)
    assert 'hx-get="/import/" hx-trigger="every 1s"' in html
    assert "The first sessions appear here in a moment" in html


def test_an_import_that_has_read_everything_promises_no_time(client: Client) -> None:
    importing(progress={"files": 10, "files_total": 10, "bytes": 8_388_608, "bytes_total": 8_388_608, "entries": 500})
    html = page(client)
    assert "10 of 10 files · 8.0 MB of 8.0 MB · putting together what belongs together" in html
    assert " left" not in html.split('id="import-state"')[1].split("</section>")[0]


def test_while_words_are_indexed_the_sessions_are_said_to_be_readable(client: Client) -> None:
    importing(phase="indexing", progress={"entries": 400, "indexed": 100, "bytes": 8, "bytes_total": 8})
    html = page(client)
    assert "Your sessions are in" in html
    assert "words of 100 of 400 entries are indexed" in html


def test_a_finished_import_is_quiet(client: Client) -> None:
    importing(status="completed", finished_at=now())
    session()
    html = page(client)
    assert "every 1s" not in html
    assert "every 4s" not in html


def test_the_import_card_answers_alone_and_tells_the_page_when_it_is_done(client: Client) -> None:
    run = importing()
    response = client.get("/import/", headers={"HX-Request": "true", "HX-Target": "import-state"})
    assert response.content.decode().lstrip().startswith('<section id="import-state"')
    assert "HX-Trigger" not in response
    run.status = "completed"
    run.save()
    assert client.get("/import/")["HX-Trigger"] == "imported"


def test_a_failed_import_says_why_and_what_comes_next(client: Client) -> None:
    importing(status="failed", error=f"disk full {HOSTILE}")
    html = page(client)
    assert "The last import failed." in html
    assert "disk full &lt;script&gt;" in html


def test_an_import_whose_worker_died_was_interrupted(client: Client) -> None:
    importing(heartbeat_at=now() - 120_000)
    html = page(client)
    assert "The last import was interrupted" in html
    assert "every 1s" not in html


def test_demo_sessions_are_called_that(client: Client) -> None:
    importing(status="completed", parameters={"demo": True}, finished_at=now())
    assert "These are demo sessions." in page(client)


def test_the_latest_sessions_come_first_and_link_to_their_pages(client: Client) -> None:
    for number in range(15):
        session(title=f"number {number}", public_id=f"s{number}", last_at=now() - number * DAY)
    html = page(client)
    assert html.index("number 0") < html.index("number 11")
    assert "number 12" not in html
    assert 'href="/sessions/s0/"' in html


def test_totals_count_sub_agents_and_say_at_least_when_a_price_is_missing(client: Client) -> None:
    parent = session(cost=1.5, output=1000, requests=4)
    session(kind=Transcript.Kind.AGENT, parent=parent, cost=0.5, output=500, requests=1)
    assert "$2.00" in page(client)
    assert "+ 1 sub-agent<" in page(client)
    assert "1.5k output" in page(client)
    session(cost=0, unpriced=1)
    assert '<span class="muted">at least</span> $2.00' in page(client)


def test_nothing_to_attend_to_is_said_in_words(client: Client) -> None:
    session(last_at=now())
    assert "Nothing. Every line was read and understood" in page(client)


def test_each_thing_that_needs_attention_links_to_its_evidence(client: Client, config: Path) -> None:
    failing = session(title="Failing", public_id="failing", errors=4, bad_lines=2, last_at=now())
    session(title="Failed long ago", errors=9, last_at=now() - 30 * DAY)
    session(title="Going", path=f"{config}/projects/a/1.jsonl", written_at=now() - 28 * DAY, last_at=now())
    session(title="Gone", state=Source.State.VANISHED, last_at=now())
    Oddity.objects.create(transcript=failing, what="type", name="hologram", count=1, first=0)
    Transcript.objects.filter(pk=failing.pk).update(unpriced=1)
    Request.objects.create(transcript=failing, message_key=1, position=0, message_id="m", model="mystery-9", cost=None)
    html = page(client)
    assert "1 session of the last 7 days had errors" in html
    assert 'href="/sessions/failing/"' in html
    assert "1 session file will soon be deleted" in html
    assert 'href="/odd/#broken">2 broken lines in 1 file<' in html
    assert 'href="/odd/">1 thing in the records' in html
    assert "?model=mystery-9" in html
    assert "1 session lives only in the archive" in html


def test_hostile_titles_are_shown_as_text(client: Client) -> None:
    session(title=HOSTILE, errors=1, last_at=now())
    html = page(client)
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_the_number_of_queries_does_not_grow_with_the_sessions(client: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            client.get("/")
        return len(seen)

    session(errors=1, last_at=now())
    few = queries()
    for _ in range(40):
        session(errors=1, unpriced=1, last_at=now())
    assert queries() == few <= 18


def test_htmx_refreshes_the_overview_alone(client: Client) -> None:
    session()
    response = client.get("/", headers={"HX-Request": "true", "HX-Target": "overview"})
    assert response.content.decode().lstrip().startswith('<div id="overview"')


def test_activity_links_to_the_sessions_of_a_day(client: Client) -> None:
    session(last_at=now())
    html = page(client)
    link = re.search(
        r'href="(/sessions/\?since=[\d-]+&amp;until=[\d-]+)" tabindex="-1"> *<rect [^>]*> ?<title>[^<]*: 1 sess', html
    )
    assert link is not None
    response = client.get(link[1].replace("&amp;", "&"))
    assert len(response.context["lines"]) == 1
