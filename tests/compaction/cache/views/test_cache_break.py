from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compaction.cache.services.scan import cache_scan
from compaction.models import CacheBreak
from sessions.models import Transcript
from tests.compaction.cache.breaking_session import GREP, Breaking
from tests.compaction.logged import SYSTEM, TOOLS
from tests.pages import HTMX, fetch

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Breaking:
    return Breaking(project=tmp_path / "projects" / "-home-dev-tidewatch")


def broke(file: Breaking, **changes: Any) -> Transcript:
    file.turn(grows=20_000)
    file.turn()
    file.turn(read=0, message="msg_broke", **changes)
    return file.looked_into()


def page(client: Client, transcript: Transcript, message: str = "msg_broke", query: str = "", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/cache/{message}/{query}", **headers)


def test_it_says_why_what_it_cost_and_what_to_do(client: Client, file: Breaking) -> None:
    transcript = file.tools_changed()
    html = page(client, transcript)
    (cache_break,) = CacheBreak.objects.all()
    assert cache_break.cost
    assert "The tools changed: 1 added (Grep)." in html
    assert f"That cost <b>${cache_break.cost:.2f}</b>: 25.0k tokens that the cache had were sent again." in html
    assert "<b>What to do.</b> Connect MCP servers" in html


def test_the_two_requests_stand_side_by_side_where_they_part(client: Client, file: Breaking) -> None:
    html = page(client, file.tools_changed())
    assert "<code>tools[2]</code> is new." in html
    assert "Finds lines." in html
    assert html.count('class="token-bar"') == 2
    assert "/requests/compare/?a=msg_11111111_2&amp;b=msg_broke" in html


def test_both_requests_can_be_downloaded_as_a_diff(client: Client, file: Breaking) -> None:
    transcript = file.tools_changed()
    assert f'href="/sessions/{transcript.public_id}/cache/msg_broke/diff/" download' in page(client, transcript)
    response = client.get(f"/sessions/{transcript.public_id}/cache/msg_broke/diff/")
    assert response["Content-Disposition"] == 'attachment; filename="cache-break.diff"'
    lines = response.content.decode().splitlines()
    assert lines[0].startswith("# msg_11111111_2 (")
    assert "# tools_changed: The tools changed: 1 added (Grep)." in lines
    assert [line for line in lines if line.startswith("+") and '"name": "Grep"' in line]
    assert not [line for line in lines if line.startswith("-") and '"name"' in line]
    assert client.get(f"/sessions/{transcript.public_id}/cache/msg_11111111_1/diff/").status_code == 404


def test_a_changed_system_prompt_is_shown_word_by_word_with_its_byte(client: Client, file: Breaking) -> None:
    system = [SYSTEM[0], {"type": "text", "text": "\nNever doubt. ü\n"}]
    html = page(client, broke(file, system=system))
    assert "<code>system[1]</code> is the same up to byte 7" in html
    assert "<del>guess</del>" in html
    assert "<ins>doubt</ins>" in html


def test_a_changed_mark_is_shown_with_both_marks(client: Client, file: Breaking) -> None:
    file.turn(grows=20_000)
    file.turn()
    file.turn(read=0, message="msg_broke")
    log = file.records[-2]
    assert log["type"] == "api-request"
    log["cacheControl"][0]["value"] = {"type": "ephemeral", "ttl": "1h", "scope": "global"}
    html = page(client, file.looked_into())
    assert "<code>system[1]</code>" in html
    assert "was marked differently before." in html
    output = html.partition("Cache marks</h2>")[2].partition("</section>")[0]
    assert "1 of" in output
    assert "<ins>" in output
    assert "global" in output


def test_a_parameter_is_shown_as_it_was_and_as_it_is(client: Client, file: Breaking) -> None:
    html = page(client, broke(file, service_tier="standard_only"))
    assert "service_tier from nothing to &quot;standard_only&quot;" in html
    output = html.partition("Model and parameters</h2>")[2].partition("</section>")[0]
    assert "service_tier" in output
    assert "standard_only" in output


def test_the_state_of_the_client_stands_beside_it_where_it_is_known(client: Client, file: Breaking) -> None:
    assert "The client</th>" not in page(client, broke(file, service_tier="auto"))
    file.turn()
    file.state("permission-mode", permissionMode="auto")
    file.turn(read=0, message="msg_auto")
    html = page(client, file.looked_into(), "msg_auto")
    table = html.partition("The client</th>")[2].partition("</table>")[0]
    cells = " ".join(re.sub(r"<[^>]+>", " ", table).split())
    assert cells == "Before Here Auto mode unknown on"


def test_a_rewritten_message_is_shown_with_its_neighbours(client: Client, file: Breaking) -> None:
    file.turn(grows=20_000)
    file.turn()
    file.turn()
    file.rewrites(2, "How deep is the water at station 2?")
    file.turn(read=22_000, message="msg_broke")
    html = page(client, file.looked_into())
    assert "Message 3, block 1 <code>messages[2].content[0]</code> is the same up to byte 4" in html
    assert "<del>high</del>" in html
    assert "<ins>deep</ins>" in html
    assert "It is 2 m." in html.split('id="rows"')[1]


def test_every_cause_is_linked_to_its_records(client: Client, file: Breaking) -> None:
    transcript = file.tools_changed()
    (cache_break,) = CacheBreak.objects.all()
    evidence = page(client, transcript).split('id="evidence"')[1]
    for position in cache_break.causes[0]["positions"]:
        assert f'href="/sessions/{transcript.public_id}/entries/L{position}/"' in evidence


@pytest.mark.parametrize(("reason", "word"), [("tools_changed", "agrees"), ("model_changed", "disagrees")])
def test_the_diagnosis_of_the_api_stands_beside_ours(client: Client, file: Breaking, reason: str, word: str) -> None:
    text = {"cache_miss_reason": {"type": reason, "cache_missed_input_tokens": 25_000}}
    html = page(client, broke(file, tools=[*TOOLS, GREP], diagnostics=text))
    assert f">{word}</span> <code>{reason}</code>" in html
    assert "25.0k tokens missed" in html


def test_a_break_by_time_has_no_place_to_show(client: Client, file: Breaking) -> None:
    html = page(client, broke(file, pause=9))
    assert "Nowhere: model, tools, system prompt and the messages" in html
    assert re.search(r"9m \ds had passed", html)


def test_a_model_without_a_price_has_an_unknown_cost(client: Client, file: Breaking) -> None:
    html = page(client, broke(file, model="kelp-coder-32b"))
    assert "what that cost is" in html
    assert "The model changed from claude-opus-5-5 to kelp-coder-32b" in html


def test_one_goes_from_break_to_break(client: Client, file: Breaking) -> None:
    file.turn(grows=20_000)
    file.turn()
    file.turn(tools=[*TOOLS, GREP], read=0, message="msg_one")
    file.turn(tools=[*TOOLS, GREP])
    file.turn(read=0, message="msg_two")
    transcript = file.looked_into()
    root = f"/sessions/{transcript.public_id}/cache/"
    assert f'href="{root}msg_two/">Next' in page(client, transcript, "msg_one")
    assert f'href="{root}msg_one/">‹ Previous' in page(client, transcript, "msg_two")
    assert "Break 2 of 2" in page(client, transcript, "msg_two")


def test_the_break_of_an_agent_leads_to_the_agents_own_page(client: Client, file: Breaking) -> None:
    file.turn()
    session = file.read()
    agent = Breaking(project=file.project, agent="a1b2c3d", session=file.session)
    agent.turn(grows=20_000, message="msg_a0")
    agent.turn(message="msg_a1")
    agent.turn(tools=[*TOOLS, GREP], read=0, message="msg_a2")
    agent.read()
    cache_scan(transcript=session)
    response = client.get(f"/sessions/{session.public_id}/cache/msg_a2/")
    assert response["Location"] == "/sessions/agent-a1b2c3d/cache/msg_a2/"
    assert client.get(response["Location"]).status_code == 200


def test_a_request_that_did_not_break_it_is_not_found(client: Client, file: Breaking) -> None:
    transcript = file.tools_changed()
    for message in ("msg_11111111_2", "nobody", "%00"):
        assert client.get(f"/sessions/{transcript.public_id}/cache/{message}/").status_code == 404


def test_a_long_block_is_asked_for_alone(client: Client, file: Breaking) -> None:
    file.turn(grows=20_000, words="tide " * 800)
    file.turn()
    file.turn()
    file.rewrites(0, "ebb " + "tide " * 800)
    file.turn(read=3_000, message="msg_broke")
    transcript = file.looked_into()
    html = page(client, transcript)
    place = re.findall(r"part=piece&amp;open=([ab]\d+\.\d+)", html)[0]
    alone = page(client, transcript, query=f"?part=piece&open={place}", **HTMX)
    assert alone.lstrip().startswith('<div class="piece')
    assert page(client, transcript, query=f"?open={place}")


def test_the_queries_do_not_grow_with_the_session(client: Client, file: Breaking) -> None:
    for number in range(40):
        file.turn(tools=[*TOOLS, *([GREP] if number // 3 % 2 else [])], read=0 if number % 3 == 0 else None)
    file.turn()
    file.turn(tools=TOOLS[:1], read=0, message="msg_broke")
    transcript = file.looked_into()
    with CaptureQueriesContext(connection) as caught:
        page(client, transcript)
    assert len(caught) <= 22
