from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from sessions.capture.services.captures import capture_store
from sessions.models import Block, Source, Transcript
from tests.pages import HTMX, sizes_in, tight
from tests.sessions.capture.capturing import exchange
from tests.sessions.capture.capturing import message as captured_answer
from tests.sessions.capture.capturing import request as captured_request
from tests.sessions.context.views.context_pages import ids, page
from tests.sessions.hostile import PAYLOAD
from tests.sessions.timeline.views.session_pages import long
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def messages(html: str) -> list[str]:
    """Role and words of the messages that are shown."""
    items = re.findall(r'<li class="message is-(\w+)".*?</li>', html, re.DOTALL)
    words = re.findall(r"<pre>(.*?)</pre>", html.split('id="messages"')[-1], re.DOTALL)
    return [*items, *words]


def test_without_a_wish_the_last_request_is_shown(client: Client, file: Written) -> None:
    file.turns(3)
    transcript = file.read()
    html = page(client, transcript)
    assert "Request 6 of 6" in html
    assert "high water at 2:00" in html
    assert "Harbour 2 has high water" not in html  # that is the answer
    assert 'aria-current="page">Context</a>' in html


def test_every_page_of_a_session_has_the_tab(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    for path in ("", "agents/", "entries/L0/", "find/?q=x", "context/left-out/", "context/changes/"):
        html = client.get(f"/sessions/{transcript.public_id}/{path}").content.decode()
        assert f'href="/sessions/{transcript.public_id}/context/"' in html, path


def test_one_steps_through_the_requests_by_real_addresses(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    first, second, third, fourth = ids(transcript)
    html = page(client, transcript, f"?request={second}")
    steps = re.findall(r'<a class="button" data-key="(.)" href="\?request=(\w+)" hx-get', html)
    assert steps == [("g", first), ("[", first), ("]", third), ("G", fourth)]
    assert "Request 2 of 4" in html
    assert html.count('aria-disabled="true"') == 0
    assert page(client, transcript, f"?request={first}").count('aria-disabled="true"') == 2
    assert page(client, transcript, f"?request={fourth}").count('aria-disabled="true"') == 2


def test_htmx_gets_the_main_part_alone(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    html = page(client, transcript, "", **HTMX, **{"HX-Target": "context"})
    assert "<html" not in html
    assert html.lstrip().startswith('<div id="context"')


def test_the_array_is_what_was_sent(client: Client, file: Written) -> None:
    file.user("How high is it?")
    file.call("Bash", "toolu_1", command="tide")
    file.result("toolu_1", "2.44 m")
    file.assistant("It is 2.44 m.")
    items = messages(page(client, file.read()))
    assert items[:3] == ["user", "assistant", "user"]
    assert items[3:] == ["How high is it?", "command: tide", "2.44 m"]


def test_what_would_be_sent_after_an_entry_and_next(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    after = page(client, transcript, "?at=L2")
    assert "Right after entry 2" in after
    assert "high water at 0:00" in after
    assert "Harbour 0 has" not in after
    by_uuid = page(client, transcript, f"?at={file.records[2]['uuid']}")
    assert messages(by_uuid) == messages(after)
    following = page(client, transcript, "?next=1")
    assert "Sent next" in following
    assert "Harbour 1 has high water" in following


def test_usage_is_what_the_api_counted_and_estimates_are_marked(client: Client, file: Written) -> None:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 60_000, "output_tokens": 431}
    file.user("ask")
    file.assistant("say", usage={**usage, "cache_creation_input_tokens": 900})
    html = page(client, file.read())
    assert [(size.tokens, size.basis) for size in sizes_in(html) if size.of.startswith("whole prompt")] == [
        (60_903, "measured"),
        (60_903, "measured"),
    ]
    assert "60.0k cache read" in html
    assert "900 cache write" in html
    assert "431 output" in html
    assert re.search(r"~60\.\dk system prompt and tools", html)
    assert re.search(r"~\d+ user text", html)
    assert "auto-compact at" in html
    assert "The system prompt: no record of this session holds it." in html


def test_a_request_that_is_not_there_says_so(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    for part in ("", "changes/", "left-out/"):
        response = client.get(f"/sessions/{transcript.public_id}/context/{part}?request=msg_nobody")
        assert response.status_code == 404
        assert "No request of this session was answered by msg_nobody." in response.content.decode()
    response = client.get(f"/sessions/{transcript.public_id}/context/?at=no-such-uuid")
    assert response.status_code == 404
    assert "The session has no entry no-such-uuid." in response.content.decode()
    assert client.get("/sessions/nobody/context/").status_code == 404


def test_a_session_without_requests_shows_what_would_be_sent(client: Client, file: Written) -> None:
    file.user("ask")
    html = page(client, file.read())
    assert "No request was made in this session." in html
    assert messages(html) == ["user", "ask"]
    assert "scrubber" not in html


def test_a_session_of_state_records_alone_says_that_nothing_was_sent(client: Client, file: Written) -> None:
    file.state("mode", mode="plan")
    transcript = file.read()
    assert "Nothing was sent yet" in page(client, transcript)
    assert "first request" not in client.get(f"/sessions/{transcript.public_id}/context/changes/").content.decode()


def test_an_empty_file_says_so(client: Client, file: Written) -> None:
    assert "This session has no entries." in page(client, file.read())


def test_records_whose_bytes_are_gone_are_no_error(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    Block.objects.all().delete()
    file.path.unlink()
    assert "are damaged in the archive: it is missing" in page(client, transcript)
    for query in (f"?request={ids(transcript)[0]}", "?next=1", "?at=L2"):
        page(client, transcript, query)
    for part in ("changes/", "left-out/"):
        assert client.get(f"/sessions/{transcript.public_id}/context/{part}").status_code == 200


def test_a_sub_agent_has_contexts_of_its_own(client: Client, file: Written) -> None:
    file.turns(1)
    agent = Written(project=file.project, agent="a17")
    agent.user("Look at the moorings")
    agent.assistant("There are nine.", message="msg_of_the_agent")
    agent.save(agent.path.parent, agent.path.stem)
    transcript = file.read()
    html = page(client, Transcript.objects.get(agent_id="a17"))
    assert "Request 1 of 1" in html
    assert "Look at the moorings" in html
    response = client.get(f"/sessions/{transcript.public_id}/context/?request=msg_of_the_agent")
    assert response["Location"] == "/sessions/agent-a17/context/?request=msg_of_the_agent"


def test_an_earlier_version_of_a_file_keeps_its_contexts(client: Client, file: Written) -> None:
    file.turns(1)
    file.read()
    file.path.write_text("")
    rewritten = Written(project=file.project, clock=file.clock)
    rewritten.user("Something else")
    rewritten.read()
    before = Transcript.objects.get(source__state=Source.State.REPLACED)
    assert "high water at 0:00" in page(client, before)


def test_every_hx_get_has_a_real_address_beside_it(client: Client, file: Written) -> None:
    html = page(client, long(file))
    links = re.findall(r"<a [^>]*hx-get[^>]*>", html)
    assert len(links) > 20
    assert all(re.search(r' href="[^"#]+', link) for link in links)
    for part in ("changes", "left-out"):
        section = html.split(f'id="{part}"')[1].split("</section>")[0]
        assert re.search(rf'<a href="/sessions/[^"]+/context/{part}/\?request=', section)


@pytest.mark.parametrize("text", [PAYLOAD, "\x1b[31mred\x1b[0m \u202egnirts\u202c", "x" * 2_000_000])
def test_hostile_words_stay_words(client: Client, file: Written, text: str) -> None:
    file.user("ask")
    file.user(text)
    file.assistant(text, {"type": "tool_use", "id": text[:60], "name": text[:200], "input": {text[:90]: text}})
    file.result(text[:60], text)
    file.assistant("end", message=text[:150])
    file.records[1] = {**file.records[1], "uuid": text[:100]}
    transcript = file.read()
    for part in ("", "changes/", "left-out/"):
        response = client.get(f"/sessions/{transcript.public_id}/context/{part}")
        html = response.content.decode()
        assert response.status_code == 200
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert "\x1b" not in html
        assert "\u202e" not in html
        assert len(html) < 150_000


def test_secrets_are_masked(client: Client, file: Written) -> None:
    secret = "ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0"
    file.user("Log in")
    file.user(f"Use {secret}")
    file.call("Bash", "toolu_1", command=f"login {secret}")
    file.result("toolu_1", f"token {secret}")
    file.assistant("done")
    transcript = file.read()
    for query in ("", "changes/", "?part=piece&open=0.0"):
        response = client.get(f"/sessions/{transcript.public_id}/context/{query}", headers=HTMX)
        assert secret not in response.content.decode()


@pytest.mark.parametrize(
    "query", ["?from=x", "?from=99999", "?part=piece&open=99.0", "?part=messages&first=5", "?part=message&from=99"]
)
def test_parts_that_make_no_sense_are_no_error(client: Client, file: Written, query: str) -> None:
    file.turns(2)
    response = client.get(f"/sessions/{file.read().public_id}/context/{query}", headers=HTMX)
    assert response.status_code in (200, 404)


def test_the_request_log_gives_the_exact_array_with_its_cache_marks(client: Client, file: Written) -> None:
    logged: dict[str, Any] = {"querySource": "sdk", "keep": 0, "params": {}, "shapeHash": "shape-1", "id": "one"}
    file.user("ask")
    file.state(
        "api-request-shape", shapeHash="shape-1", shape={"system": ["You are a tide."], "tools": [{"name": "Bash"}]}
    )
    file.state("api-request-blob", hash="hash-1", message={"role": "user", "content": "ask as it was sent"})
    marks = [{"path": ["messages", 0, "content", 0], "value": {"type": "ephemeral"}}]
    file.state("api-request", **logged, tail=["hash-1"], cacheControl=marks)
    file.assistant("say")
    html = page(client, file.read())
    assert "ask as it was sent" in html
    assert "from the client's own log of this request" in html.replace("&#x27;", "'")
    assert "⚑ cache mark" in html
    assert "You are a tide." in html
    assert "the client&#x27;s log of the request" in html


def test_what_was_not_sent_yet_is_not_called_sent(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    entry = str(file.records[4]["uuid"])
    assert "<h2>Messages as sent<" in tight(page(client, transcript))
    assert "<h2>Messages as they would be sent<" in tight(page(client, transcript, "?next=1"))
    after = tight(page(client, transcript, f"?at={entry}"))
    assert "<h2>Messages as they would be sent<" in after
    assert f'?after={entry}&amp;at=4#e4">the timeline as the model would see it</a>' in after


def test_a_prompt_beyond_the_window_does_not_end_where_the_window_does(client: Client, file: Written) -> None:
    file.user("ask")
    file.assistant("say", model="claude-opus-4-1", usage={"input_tokens": 500_000, "output_tokens": 1})
    assert "500.0k, more than the window 200.0k" in page(client, file.read())


def test_answers_without_usage_are_not_denied(client: Client, file: Written) -> None:
    file.user("ask")
    assert "No request was made in this session." in page(client, file.read())
    file.assistant("say", usage=None)
    html = page(client, file.read())
    assert "No request was made" not in html
    assert "The answers of this session carry no usage, so that its requests are not listed." in html


def test_a_message_without_blocks_says_so(client: Client, file: Written) -> None:
    file.user("ask")
    file.state("api-request-blob", hash="hash-1", message={"role": "user", "content": "ask"})
    file.state("api-request-blob", hash="hash-2", message={"role": "system", "content": []})
    logged: dict[str, Any] = {"querySource": "sdk", "keep": 0, "params": {}, "shapeHash": "", "id": "one"}
    file.state("api-request", **logged, tail=["hash-1", "hash-2"], cacheControl=[])
    file.assistant("say")
    html = page(client, file.read())
    assert messages(html)[:2] == ["user", "system"]
    assert html.count("no blocks: it was sent empty") == 1


def test_a_collapsed_span_has_its_own_mark(client: Client, file: Written) -> None:
    file.turns(2)
    first, last = file.records[0]["uuid"], file.records[3]["uuid"]
    file.state("marble-origami-commit", firstArchivedUuid=first, lastArchivedUuid=last, summaryContent="They looked.")
    file.user("And now?")
    html = page(client, file.read(), "?next=1")
    assert "≣ collapsed span" in html
    assert 'entries/L8/">entry 8</a>' in html
    assert "▨ summary" not in html


def test_a_list_of_what_is_unknown_is_offered_only_where_there_is_one(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    message = ids(transcript)[-1]
    assert '<details class="exactness is-reconstructed">' in page(client, transcript)
    request = captured_request({"role": "user", "content": "As it was."}, system="You watch tides.", tools=[])
    capture_store(exchange=exchange(request, captured_answer(message)))
    html = page(client, transcript)
    assert '<p class="exactness is-recorded">' in html
    assert "cannot be known" not in html


def test_it_shows_where_the_conversation_may_be_cut(client: Client, file: Written) -> None:
    file.turns(2)
    file.user("And now?")
    html = page(client, file.read(), "?next=1")
    marks = re.findall(r'class="(cut-here|no-cut)"', html.split('id="messages"')[-1])
    # Question, call, result, answer, twice, and a question: only between a call and its result no cut is legal.
    assert marks == ["cut-here", "no-cut", "cut-here", "cut-here", "cut-here", "no-cut", "cut-here", "cut-here"]


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ("2.1.163", "by the rules of 2.1.160 and 2.1.166: client 2.1.163 itself was never recorded"),
        ("2.1.999", "itself was never recorded"),
        ("2.1.160", "by the rules of the client"),
    ],
)
def test_a_client_that_was_never_recorded_is_named_with_the_nearest_that_were(
    client: Client, file: Written, version: str, shown: str
) -> None:
    file.user("When is high water?", version=version)
    file.assistant("At noon.", version=version)
    assert shown in " ".join(page(client, file.read()).split())
