from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import Request, Transcript
from sessions.weights.services.weighing import transcript_weigh
from tests.compaction.cache.cached_session import Cached
from tests.compaction.logged import SYSTEM, TOOLS, Logged
from tests.pages import HTMX, fetch
from tests.sessions.context.views.context_pages import ids, write_compacted
from tests.sessions.hostile import PAYLOAD
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-home-dev-tidewatch"


@pytest.fixture
def logged_session(project: Path) -> Transcript:
    return Logged(project=project).talk().read()


def page(client: Client, transcript: Transcript, message: str, query: str = "", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/requests/{message}/{query}", **headers)


def parts(html: str) -> list[str]:
    return re.findall(r'<li class="part[^"]*" id="p([^"]+)"', html)


def test_a_logged_request_is_shown_with_all_its_parts(client: Client, logged_session: Transcript) -> None:
    html = page(client, logged_session, "msg_tomorrow")
    assert parts(html) == ["tools.0", "tools.1", "system.0", "system.1", "0", "1", "2", "3", "4"]
    assert html.count("⚑ 1h") == 3
    assert "claude-code-20250219" in html
    assert "recorded" in html
    assert "The cache had" in html


def test_the_first_sentence_is_what_the_api_counted(client: Client, logged_session: Transcript) -> None:
    request = Request.objects.get(message_id="msg_tomorrow")
    html = page(client, logged_session, "msg_tomorrow")
    total = request.input + request.cache_read + request.cache_write_5m
    assert f"The cache had {request.cache_read / 1000:.1f}k of its {total / 1000:.1f}k tokens" in html


def sections(html: str) -> str:
    return html.partition("Its sections")[2].partition("</table>")[0]


def test_the_prompt_is_shown_by_sections_held_against_the_request_before(
    client: Client, logged_session: Transcript
) -> None:
    first, *_, last = ids(logged_session)
    rows = sections(page(client, logged_session, first))
    assert "no record of a request before" in rows
    assert rows.count(">unknown<") >= 2
    rows = sections(page(client, logged_session, last))
    assert "the same as in the request before" in rows
    assert rows.count('<tr class="item is-same">') == 3
    assert "Today is a spring tide." in rows
    assert ">message</span>" in rows
    assert "no mark of its own" not in rows
    assert rows.count("your organisation") == 2


def test_a_section_that_changed_is_shown_word_by_word_with_secrets_masked(client: Client, project: Path) -> None:
    file = Logged(project=project).talk()
    secret = "sk-ant-api03-" + "a1B2" * 20
    shape = {"system": [SYSTEM[0], {"type": "text", "text": f"\nNever doubt. ü\n{secret}\n"}], "tools": TOOLS}
    file.state("api-request-shape", shapeHash="other", shape=shape)
    file.user("And on Monday?")
    file.asks({"role": "user", "content": "And on Monday?"})
    file.records[-1]["shapeHash"] = "other"
    file.assistant("4.5 m", message="msg_monday")
    rows = sections(page(client, file.read(), "msg_monday"))
    assert "1 changed since the request before" in rows
    assert "<del>Never guess. ü</del>" in rows
    assert "<ins>Never doubt. ü</ins>" in rows
    assert "a1B2a1B2a1B2" not in rows


def test_each_mark_says_why_it_lives_so_long(client: Client, project: Path) -> None:
    file = Cached(project=project, mark={"type": "ephemeral", "ttl": "1h"}).warm()
    name = file.asks(50_500, 500)
    html = page(client, file.read(), name).partition("Its cache marks")[2].partition("</details>")[0]
    assert "At the end of the system prompt" in html
    assert "On the last message: the next request can read all of this one." in html
    assert "One hour" in html
    assert "<code>system[1]</code>" in html
    assert "Its source repl_main_thread is on the list" in html
    assert "since the first request" in html


def test_without_marks_nothing_is_said_of_lifetimes_and_scope(client: Client, project: Path) -> None:
    transcript = Written(project=project).turns(2).read()  # type: ignore[attr-defined]
    html = page(client, transcript, ids(transcript)[-1])
    assert "Its cache marks" not in html
    assert "shared by everybody" not in html


def test_what_no_record_holds_is_said_to_be_unknown(client: Client, project: Path) -> None:
    transcript = Written(project=project).turns(2).read()  # type: ignore[attr-defined]
    html = page(client, transcript, ids(transcript)[-1])
    assert "No record of this session holds the definitions of the tools." in html
    assert "system prompt and tools" in html
    assert "in no record" not in html
    assert "where the cache marks stood is unknown" in html
    assert "no record of this request holds them" in html


def test_what_came_without_a_record_is_not_called_system_prompt(client: Client, project: Path) -> None:
    file = Written(project=project)
    file.user("ask")
    file.assistant("say", usage={"input_tokens": 12_000, "output_tokens": 10})
    file.user("ask more")
    file.assistant("say more", usage={"input_tokens": 8_000, "cache_read_input_tokens": 12_000, "output_tokens": 10})
    transcript = file.read()
    transcript_weigh(transcript=transcript)
    request = ids(transcript)[-1]
    context = fetch(client, f"/sessions/{transcript.public_id}/context/?request={quote(request)}")
    shown = [
        (re.findall(r"~([\d.]+k) system prompt and tools", html), re.findall(r"~([\d.]+k) not recorded", html))
        for html in (context, page(client, transcript, request))
    ]
    assert [(set(head), set(beside)) for head, beside in shown] == [({"12.0k"}, {"8.0k"})] * 2


@pytest.mark.parametrize(("place", "words"), [("tools.0", "Runs a command."), ("system.1", "Never guess. ü")])
def test_a_part_unfolds_alone_and_as_a_page(client: Client, logged_session: Transcript, place: str, words: str) -> None:
    section = place.partition(".")[0]
    alone = page(client, logged_session, "msg_high", f"?part=open&section={section}&open={place}", **HTMX)
    assert parts(alone) == [place]
    assert words in alone.split("<pre>")[1]
    whole = page(client, logged_session, "msg_high", f"?open={place}")
    assert words in whole.split("<pre>")[1]
    closed = page(client, logged_session, "msg_high", f"?part=close&section={section}&open={place}", **HTMX)
    assert "<pre>" not in closed


def test_a_message_unfolds_to_blocks_that_lead_to_their_entries(client: Client, logged_session: Transcript) -> None:
    alone = page(client, logged_session, "msg_high", "?part=open&section=messages&open=1", **HTMX)
    assert "I should look." in alone
    assert re.search(r'href="/sessions/[^"]+/entries/[^"]+/">entry \d+</a>', alone)
    assert "command: tide" in page(client, logged_session, "msg_high", "?open=1")


def test_folded_messages_are_loaded_on_demand(client: Client, project: Path) -> None:
    transcript = Written(project=project).turns(40).read()  # type: ignore[attr-defined]
    last = ids(transcript)[-1]
    html = page(client, transcript, last)
    more: list[str] = []
    while folds := re.findall(r"part=rows&amp;section=messages&amp;first=(\d+)&amp;end=(\d+)", html):
        if not more:
            first, end = map(int, folds[0])
        query = "?part=rows&section=messages&first={}&end={}".format(*folds[0])
        html = page(client, transcript, last, query, **HTMX)
        more += parts(html)
    assert more == [str(number) for number in range(first, end)]
    assert str(first) in parts(page(client, transcript, last, f"?first={first}"))


def test_the_request_of_an_agent_leads_to_the_agents_own_page(client: Client, project: Path) -> None:
    main = Written(project=project)
    main.turns(1)
    transcript = main.read()
    agent = Written(project=project, agent="a1b2c3d", session=main.session)
    agent.user("Look")
    agent.assistant("Seen", message="msg_agent")
    agent.read()
    response = client.get(f"/sessions/{transcript.public_id}/requests/msg_agent/")
    assert response.status_code == 302
    assert response["Location"] == "/sessions/agent-a1b2c3d/requests/msg_agent/"


@pytest.mark.parametrize(
    "query", ["?part=open&section=tools&open=tools.99", "?part=piece&open=9.9", "?part=piece&open=x"]
)
def test_parts_that_are_not_there_are_not_found(client: Client, logged_session: Transcript, query: str) -> None:
    address = f"/sessions/{logged_session.public_id}/requests/msg_high/{query}"
    assert client.get(address, headers=HTMX).status_code == 404


@pytest.mark.parametrize("query", ["?open=x", "?open=tools.x", "?first=٣", "?open=99999999999", "?part=rows&section=x"])
def test_any_wish_gets_a_page(client: Client, logged_session: Transcript, query: str) -> None:
    assert len(parts(page(client, logged_session, "msg_high", query))) > 4


def test_a_request_that_is_not_there_is_not_found(client: Client, logged_session: Transcript) -> None:
    assert client.get(f"/sessions/{logged_session.public_id}/requests/msg_nobody/").status_code == 404


def test_nothing_of_a_request_becomes_markup(client: Client, project: Path) -> None:
    file = Logged(project=project)
    file.user(PAYLOAD)
    file.state(
        "api-request-shape",
        shapeHash="bad",
        shape={
            "system": [{"type": "text", "text": PAYLOAD}, PAYLOAD, {"text": 3}],
            "tools": [{"name": PAYLOAD, "description": PAYLOAD}, PAYLOAD],
        },
    )
    mark = {"type": PAYLOAD, "ttl": PAYLOAD, "scope": PAYLOAD}
    file.state(
        "api-request",
        id=PAYLOAD,
        querySource="sdk",
        shapeHash="bad",
        params={PAYLOAD: PAYLOAD, "betas": [PAYLOAD], "thinking": {PAYLOAD: [PAYLOAD]}},
        keep=0,
        tail=[],
        cacheControl=[{"path": ["system", 0], "value": mark}],
    )
    file.assistant(PAYLOAD, message=PAYLOAD, model=PAYLOAD)
    transcript = file.read()
    message = quote(ids(transcript)[0], safe="")
    assert "%2F" in message
    for query in ("", "?open=tools.0", "?open=system.0", "?open=0"):
        html = page(client, transcript, message, query)
        for bad in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:'):
            assert bad not in html, query


def test_secrets_are_masked(client: Client, project: Path) -> None:
    file = Written(project=project)
    file.user("The key is sk-ant-api03-" + "a1B2" * 20)
    file.assistant("Thank you")
    transcript = file.read()
    html = page(client, transcript, ids(transcript)[0], "?open=0")
    assert "a1B2a1B2a1B2" not in html


def test_the_page_costs_the_same_however_long_the_session_is(client: Client, project: Path) -> None:
    short = Written(project=project).turns(2).read()  # type: ignore[attr-defined]
    with CaptureQueriesContext(connection) as few:
        page(client, short, ids(short)[-1])
    long = write_compacted(Written(project=project, session="22222222-2222-4333-8444-555555555555"))
    with CaptureQueriesContext(connection) as many:
        page(client, long, ids(long)[-1])
    assert len(few) <= 10
    assert len(many) <= 12


def test_the_context_the_timeline_and_the_entry_lead_to_it(client: Client, logged_session: Transcript) -> None:
    address = f"/sessions/{logged_session.public_id}/requests/msg_tomorrow/"
    root = f"/sessions/{logged_session.public_id}/"
    position = Request.objects.get(message_id="msg_tomorrow").position
    for where in (f"{root}context/", root, f"{root}entries/L{position}/"):
        assert f'href="{address}"' in client.get(where).content.decode(), where
