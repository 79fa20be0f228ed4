from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compaction.cache.services.scan import cache_scan
from compaction.models import CacheBreak
from inspector.home import views as home
from inspector.runs.models import Run
from sessions.models import Transcript
from tests.compaction.cache.breaking_session import GREP, Breaking
from tests.compaction.logged import TOOLS
from tests.pages import HTMX, fetch, flowing
from tests.sessions.hostile import PAYLOAD
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
KEY = "sk-ant-api03-" + "a1B2" * 20


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-home-dev-tidewatch"


@pytest.fixture
def broken(project: Path) -> Transcript:
    return Breaking(project=project).tools_changed()


def page(client: Client, transcript: Transcript, query: str = "", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/cache/{query}", **headers)


def answer(html: str) -> str:
    match = re.search(r'<p class="answer">(.*?)</p>', html, re.DOTALL)
    assert match
    return match[1]


def test_the_first_sentence_says_why_it_broke_and_what_that_cost(client: Client, broken: Transcript) -> None:
    (cache_break,) = CacheBreak.objects.all()
    assert cache_break.cost
    text = answer(page(client, broken))
    assert text.startswith(
        f"The cache of this session broke once unexpectedly, which cost ${cache_break.cost:.2f}: 25.0k tokens"
    )
    assert text.endswith("The cause: tools changed.")


def test_a_session_whose_cache_held_says_what_it_saved(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    for _ in range(4):
        file.turn()
    text = answer(page(client, file.looked_into()))
    assert text.startswith("The cache of this session never broke unexpectedly: ")
    assert "which saved $" in text


def test_a_break_leads_to_its_page_its_request_and_its_record(client: Client, broken: Transcript) -> None:
    html = page(client, broken)
    root = f"/sessions/{broken.public_id}/"
    (cache_break,) = CacheBreak.objects.all()
    for address in (f"{root}cache/msg_broke/", f"{root}requests/msg_broke/", f"{root}entries/L{cache_break.position}/"):
        assert f'href="{address}"' in html, address
    assert "high confidence" in html
    assert "request 3" in html


def test_every_request_is_drawn_with_what_it_read_and_wrote(client: Client, broken: Transcript) -> None:
    html = page(client, broken)
    assert html.count('class="strip"') == 4
    assert "request 3: 0 read, 30.0k written, 3 fresh" in html
    assert re.findall(r'<text class="(\w+)"', html) == ["broke"]
    assert [tone for tone in ("read", "written") if f'<path class="tone-{tone}" d="M' in html] == ["read", "written"]
    table = html.split("<summary>As a table</summary>")[1]
    assert table.count('<th scope="row">') >= 4


def test_pauses_and_compactions_are_marked(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn(grows=20_000)
    file.turn(pause=7)
    file.compacts("In short.")
    file.sent.clear()
    file.turn(read=0)
    html = page(client, file.looked_into())
    assert re.search(r"7m \ds without a request", html)
    assert '<path class="boundary"' in html


def test_expected_drops_are_told_apart(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn(grows=20_000)
    file.turn()
    file.compacts("In short.")
    file.sent.clear()
    file.cached = 6_000
    file.turn(read=0)
    transcript = file.looked_into()
    html = page(client, transcript)
    assert "1 expected drop" in html
    assert "never broke unexpectedly" in answer(html)
    assert 'class="break item is-expected"' in html


def test_a_session_that_nobody_looked_into_offers_to_find_out(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn()
    transcript = file.read()
    html = page(client, transcript)
    assert "Nobody has looked into the cache of this session yet." in html
    assert f'action="/sessions/{transcript.public_id}/cache/look/"' in html
    assert "<svg" in html


def test_finding_out_makes_one_run_and_the_page_waits_for_it(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn()
    transcript = file.read()
    for _ in range(2):
        response = client.post(f"/sessions/{transcript.public_id}/cache/look/")
        assert response["Location"] == f"/sessions/{transcript.public_id}/cache/"
    (run,) = Run.objects.filter(kind="cache diff")
    html = page(client, transcript)
    assert f'href="/runs/{run.pk}/"' in html
    assert 'hx-trigger="every 2s"' in html
    alone = page(client, transcript, **HTMX, **{"HX-Target": "cache"})
    assert alone.lstrip().startswith('<div id="cache"')


def test_requests_that_came_since_are_said_to_be_missing(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn()
    file.looked_into()
    file.turn()
    html = page(client, file.read())
    assert "There are requests that were not looked into yet." in html


def test_the_page_of_a_subagent_tells_of_its_own_cache(client: Client, project: Path) -> None:
    main = Breaking(project=project)
    main.turn()
    session = main.read()
    agent = Breaking(project=project, agent="a1b2c3d", session=main.session)
    agent.turn(grows=20_000, message="msg_a0")
    agent.turn(message="msg_a1")
    agent.turn(tools=[*TOOLS, GREP], read=0, message="msg_a2")
    there = agent.read()
    cache_scan(transcript=session)
    html = page(client, there)
    assert answer(html).startswith("The cache of this sub-agent broke once")
    assert 'href="/sessions/agent-a1b2c3d/cache/msg_a2/"' in html
    assert 'href="/sessions/agent-a1b2c3d/cache/msg_a2/"' in page(client, session)


def test_advice_is_given_with_figures(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn(grows=60_000)
    file.turn(pause=20, read=0)
    file.turn()
    html = page(client, file.looked_into())
    assert "What would have been cheaper" in html
    assert "All at five minutes they would have cost $" in html
    assert "1 moment when compacting would have been free" in html
    assert re.search(r"20m \d+s without a request ?</span>", html)


def test_breaks_come_in_pages(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn(grows=30_000)
    for number in range(24):
        file.turn(tools=[*TOOLS, *([GREP] if number % 2 else [])], read=0)
        file.turn(tools=[*TOOLS, *([GREP] if number % 2 else [])])
    transcript = file.looked_into()
    assert transcript.cache_breaks
    assert transcript.cache_breaks > 20
    html = page(client, transcript)
    assert html.count('<li class="break item') == 20
    second = page(client, transcript, "?page=2", **HTMX, **{"HX-Target": "breaks"})
    assert second.lstrip().startswith('<section id="breaks"')
    assert second.count('<li class="break item') == transcript.cache_breaks - 20


def test_nothing_of_a_transcript_becomes_markup_and_secrets_are_masked(client: Client, project: Path) -> None:
    file = Breaking(project=project)
    file.turn(grows=20_000, model=PAYLOAD)
    file.turn(model=PAYLOAD)
    bad = {"name": f"{PAYLOAD} {KEY}", "description": PAYLOAD}
    reason = {"cache_miss_reason": {"type": PAYLOAD, "cache_missed_input_tokens": PAYLOAD}}
    file.turn(tools=[*TOOLS, bad], read=0, message=PAYLOAD, model=PAYLOAD, diagnostics=reason)
    transcript = file.looked_into()
    (cache_break,) = CacheBreak.objects.all()
    html = page(client, transcript)
    html += client.get(
        f"/sessions/{transcript.public_id}/cache/{quote(cache_break.message_id, safe='')}/"
    ).content.decode()
    html += client.get("/cache/").content.decode()
    assert html.count("Tools changed") >= 3
    for result in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:', KEY[20:]):
        assert result not in html


def test_the_queries_do_not_grow_with_the_session(client: Client, project: Path, broken: Transcript) -> None:
    with CaptureQueriesContext(connection) as few:
        page(client, broken)
    file = Breaking(project=project, session="22222222-2222-4333-8444-555555555555")
    for number in range(60):
        file.turn(tools=[*TOOLS, *([GREP] if number // 3 % 2 else [])], read=0 if number % 3 == 0 else None)
    long = file.looked_into()
    with CaptureQueriesContext(connection) as many:
        page(client, long)
    assert len(many) <= len(few) + 1 <= 17


def test_every_page_of_a_session_has_the_tab_with_its_count(client: Client, broken: Transcript) -> None:
    for path in ("", "context/", "compactions/", "agents/", "requests/msg_broke/", "entries/L0/"):
        html = client.get(f"/sessions/{broken.public_id}/{path}").content.decode()
        assert f'href="/sessions/{broken.public_id}/cache/"' in html, path
        assert "1 unexpected break of the prompt cache" in html, path


def test_a_session_without_requests_says_so(client: Client, project: Path) -> None:
    file = Written(project=project)
    file.user("Hello")
    html = page(client, file.read())
    assert "No request has a count" in html


def test_the_list_shows_and_filters_sessions_whose_cache_broke(
    client: Client, project: Path, broken: Transcript
) -> None:
    quiet = Breaking(project=project, session="33333333-2222-4333-8444-555555555555")
    quiet.turn()
    quiet.looked_into()
    html = flowing(client.get("/sessions/").content.decode())
    assert re.search(rf'class="col-breaks number"> ?<a href="/sessions/{broken.public_id}/cache/"[^>]*> ?1 ?<', html)
    text = client.get("/sessions/?broke=1").content.decode()
    assert broken.public_id in text.split('id="sessions"')[1]
    assert "33333333-2222-4333" not in text.split('id="sessions"')[1]
    assert "with cache breaks" in text


def test_the_first_page_says_what_was_lost_lately(
    client: Client, broken: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = CacheBreak.objects.get().at
    assert now
    monkeypatch.setattr(home, "now_ms", lambda: now + 1000)
    html = flowing(client.get("/").content.decode())
    assert "The prompt cache broke 1 time in the last 7 days, which cost $" in html
    assert f'href="/sessions/{broken.public_id}/cache/"' in html
