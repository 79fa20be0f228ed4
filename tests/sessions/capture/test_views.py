from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from inspector.owner.key import owner_key
from sessions.capture.services.captures import RequestOrigin, capture_store
from sessions.models import Capture
from tests.pages import fetch
from tests.sessions.capture.capturing import MARK, Json, exchange, message, request

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e"
KEY = "sk-ant-api03-" + "a1B2" * 20


@pytest.fixture
def client() -> Client:
    return Client(HTTP_HOST="localhost")


def captured(body: Json | None = None, answer: Json | None = None, **more: Any) -> Capture:
    result = capture_store(exchange=exchange(request() if body is None else body, answer, **more))
    assert result is not None
    return result


def shown(client: Client, address: str) -> str:
    html = fetch(client, address)
    HTMLParser().feed(html)
    return html


def test_the_empty_list_tells_how_to_record(client: Client) -> None:
    page = shown(client, "/captures/")
    assert f"ANTHROPIC_BASE_URL=http://localhost/capture/{owner_key(settings.LUCID_HOME).capture_secret} claude" in page
    assert "Nothing was captured yet" in page
    assert "https://api.anthropic.com" in page


def test_it_says_when_recording_is_switched_off(client: Client) -> None:
    with override_settings(LUCID_CAPTURE=False):
        page = shown(client, "/captures/")
    assert "LUCID_CAPTURE=off" in page
    assert "ANTHROPIC_BASE_URL=" not in page


def test_the_list_tells_what_each_request_cost(client: Client) -> None:
    usage: Any = {"cache_read_input_tokens": 41_200, "cache_creation_input_tokens": 1300}
    captured(answer=message("msg_a", **usage), first_byte_ms=840.0, duration_ms=65_000.0)
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    captured(answer=error, status=529)
    page = shown(client, "/captures/")
    for words in ("41.2k", "1.3k", "840ms", "1m 5s", ">529<", "1–2 of 2 captures"):
        assert words in page, words


def test_a_long_list_takes_few_queries(client: Client) -> None:
    for number in range(60):
        captured(answer=message(f"msg_{number}"), headers=[("x-claude-code-session-id", f"s-{number}")])
    with CaptureQueriesContext(connection) as queries:
        page = shown(client, "/captures/?page=2")
    assert len(queries) <= 8
    assert "51–60 of 60" in page


def test_the_list_can_be_that_of_one_session(client: Client) -> None:
    captured(headers=[("x-claude-code-session-id", "session-one")])
    captured(headers=[("x-claude-code-session-id", "session-two")])
    assert "1–1 of 1 captures" in shown(client, "/captures/?session=session-t")


def test_a_captured_prompt_is_held_against_the_one_captured_before_of_the_same_session(client: Client) -> None:
    def asks(words: str, session: str, at: int, **more: Any) -> Capture:
        system = [{"type": "text", "text": f"# Environment\n{words}", "cache_control": MARK}]
        headers = [("x-claude-code-session-id", session), ("user-agent", "claude-cli/2.1.325 (external, cli)")]
        answer = message(f"msg_{at}", cache_creation_input_tokens=90)
        answer["usage"]["cache_creation"] = {"ephemeral_1h_input_tokens": 90, "ephemeral_5m_input_tokens": 0}
        return captured(request(system=system), answer, headers=headers, at=at, **more)

    asks("North", "one", 1)
    asks("West", "two", 2)
    quota = [("anthropic-ratelimit-unified-overage-in-use", "false")]
    page = shown(client, f"/captures/{asks('South', 'one', 3, answer_headers=quota).pk}/")
    assert "1 changed since the request before" in page
    assert "<del>North</del><ins>South</ins>" in page
    reasons = page.partition("Its cache marks")[2].partition("</details>")[0]
    for words in ("One hour", "repl_main_thread", "Its answer tells of such a quota.", "since the first request"):
        assert words in reasons, words
    assert "no record of a request before" in shown(client, "/captures/2/")


def test_a_request_of_lucid_says_whose_mark_it_shares(client: Client) -> None:
    system = [{"type": "text", "text": "You watch tides.", "cache_control": MARK}]
    fork = capture_store(
        exchange=exchange(request(system=system), message("msg_fork")), asker=RequestOrigin(7, "msg_parent")
    )
    assert fork is not None
    page = shown(client, f"/captures/{fork.pk}/")
    assert "has to share the mark of the request that msg_parent answered" in page
    assert "“You watch tides.”" in page
    other = capture_store(exchange=exchange(request(system=system), message("msg_own")), asker=RequestOrigin(8))
    assert other is not None
    assert "Lucid asked by itself" in shown(client, f"/captures/{other.pk}/")


def test_one_request_is_shown_in_its_parts(client: Client) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "tide"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "4 m"}
    body = request(
        {"role": "user", "content": "How high is the water?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{**result, "cache_control": MARK}]},
        system=[{"type": "text", "text": "You watch tides.", "cache_control": MARK}],
        tools=[{"name": "Bash", "description": "Runs a command."}],
        thinking={"type": "adaptive"},
    )
    capture = captured(body, message("msg_a"), headers=[("anthropic-beta", "effort-2025-11-24")])
    page = shown(client, f"/captures/{capture.pk}/")
    for words in (
        "3 messages, 1 system block and 1 tool went to",
        "You watch tides.",
        "Runs a command.",
        "How high is the water?",
        "tide",
        "⚑ 1h",
        "effort-2025-11-24",
        "adaptive",
        "Four metres.",
    ):
        assert words in page, words
    assert page.count("⚑ 1h") == 2


def test_a_request_of_thousands_of_messages_is_shown_by_its_ends(client: Client) -> None:
    messages = [{"role": "user", "content": f"number {number} of many"} for number in range(3000)]
    page = shown(client, f"/captures/{captured(request(*messages)).pk}/")
    assert "2994 more" in page
    assert "number 0 of many" in page
    assert "number 2999 of many" in page
    assert len(page) < 150_000


def test_whatever_a_request_holds_is_shown_as_text(client: Client) -> None:
    block = {"type": HOSTILE, "text": HOSTILE, "name": HOSTILE, "cache_control": {"type": "ephemeral", "ttl": HOSTILE}}
    body: Json = {
        **request({"role": HOSTILE, "content": [block, 7, None]}, system=[block], tools=[block]),
        "model": HOSTILE[:100],
        HOSTILE: HOSTILE,
        "metadata": {"user_id": f'{{"session_id": "{HOSTILE}"}}'},
    }
    answer = {**message(HOSTILE, block), "stop_reason": HOSTILE[:50], "diagnostics": {HOSTILE: HOSTILE}}
    headers = [("anthropic-beta", HOSTILE), ("user-agent", HOSTILE)]
    capture = captured(body, answer, headers=headers, answer_headers=[("content-type", "x"), ("request-id", HOSTILE)])
    for address in ("/captures/", f"/captures/{capture.pk}/"):
        page = shown(client, address)
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "\u202e" not in page
    raw = client.get(f"/captures/{capture.pk}/raw/")
    assert raw["Content-Type"] == "text/plain; charset=utf-8"
    assert raw["X-Content-Type-Options"] == "nosniff"


def test_secrets_are_masked_wherever_a_request_is_shown(client: Client) -> None:
    body = request({"role": "user", "content": f"My key is {KEY}"}, system=f"Use {KEY}.", note=KEY)
    capture = captured(body, message("msg_a", {"type": "text", "text": f"I keep {KEY}"}), headers=[("user-agent", KEY)])
    for address in (f"/captures/{capture.pk}/", f"/captures/{capture.pk}/raw/"):
        assert KEY not in client.get(address).content.decode()


def test_what_its_name_gives_away_is_masked_wherever_a_request_is_shown(client: Client) -> None:
    servers = [{"type": "url", "url": "https://dev:swordfish@mcp.host/sse?token=aB3dE6gH9jK2", "name": "tide"}]
    tool = {"name": "fetch", "headers": {"x-api-key": "swordfish"}, "input_schema": {"type": "object"}}
    body = request({"role": "user", "content": "Hi"}, tools=[tool], api_key="swordfish", mcp_servers=servers)
    capture = captured(body, message("msg_a"))
    for part in ("", "raw/", "?open=tools.0"):
        page = client.get(f"/captures/{capture.pk}/{part}").content.decode()
        assert "masked]" in page
        assert "swordfish" not in page, part
        assert "aB3dE6gH9jK2" not in page, part


def test_what_is_not_there_is_said_to_be_missing(client: Client) -> None:
    assert client.get("/captures/77/").status_code == 404
    assert client.get("/captures/99999999999999999999/").status_code == 404
    assert client.get("/captures/77/raw/").status_code == 404


def test_a_part_of_a_captured_request_unfolds_alone(client: Client) -> None:
    body = request(
        {"role": "user", "content": "How high is the water?"},
        tools=[{"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object"}}],
    )
    address = f"/captures/{captured(body, message('msg_a')).pk}/"
    answer = client.get(f"{address}?part=open&section=tools&open=tools.0", headers={"HX-Request": "true"})
    assert answer.content.decode().lstrip().startswith('<li class="part')
    assert "input_schema" in answer.content.decode()
    assert "the capture of the request" in shown(client, f"{address}?open=0")
    missing = client.get(f"{address}?part=open&section=tools&open=tools.7", headers={"HX-Request": "true"})
    assert missing.status_code == 404


def test_a_prompt_of_your_own_is_known_also_after_one_of_the_client(client: Client) -> None:
    mark = {"cache_control": MARK}
    whose = {"metadata": {"user_id": "user_1_account__session_11111111-2222-4333-8444-555555555555"}}
    for words in ("# Doing tasks\nDo them.", "# Harbours\nCount them."):
        system = [{"type": "text", "text": words, **mark}]
        capture = captured(request({"role": "user", "content": "How high?"}, system=system, tools=[], **whose))
    page = shown(client, f"/captures/{capture.pk}/")
    assert "<b>gone</b>" in page
    assert "it seems to be a prompt of your own" in page
