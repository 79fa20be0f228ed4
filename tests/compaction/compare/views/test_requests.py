from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import Transcript
from tests.compaction.logged import PARAMS, SYSTEM, TOOLS, Json, Logged, hash_of
from tests.pages import HTMX, fetch
from tests.sessions.context.views.context_pages import ids, write_compacted
from tests.sessions.hostile import PAYLOAD
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
KEY = "sk-ant-api03-" + "a1B2" * 20


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-home-dev-tidewatch"


class Changing(Logged):
    """Asks twice, with another system prompt, other tools or other parameters the second time."""

    def twice(self, *, system: object = SYSTEM, tools: object = TOOLS, **params: object) -> Transcript:
        message: Json = {"role": "user", "content": [{"type": "text", "text": "How high is the water?"}]}
        self.user("How high is the water?")
        self.ask(message, "first", SYSTEM, TOOLS, PARAMS)
        self.assistant("4.2 m.", message="msg_first")
        self.user("And now?")
        answer: Json = {"role": "assistant", "content": [{"type": "text", "text": "4.2 m."}]}
        self.ask(
            message, "second", system, tools, {**PARAMS, **params}, answer, {"role": "user", "content": "And now?"}
        )
        self.assistant("4.3 m.", message="msg_second", model=params.get("model", PARAMS["model"]))
        return self.read()

    def ask(self, element: Json, name: str, system: object, tools: object, params: Json, *more: Json) -> None:
        self.state("api-request-shape", shapeHash=f"shape-{name}", shape={"system": system, "tools": tools})
        for message in (element, *more):
            self.state("api-request-blob", hash=hash_of(message), message=message)
        self.state(
            "api-request",
            id=name,
            querySource="repl_main_thread",
            shapeHash=f"shape-{name}",
            params=params,
            keep=0,
            tail=[hash_of(message) for message in (element, *more)],
            cacheControl=[{"path": ["system", 1], "value": {"type": "ephemeral"}}],
        )


def page(client: Client, transcript: Transcript, query: str = "?a=msg_first&b=msg_second", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/requests/compare/{query}", **headers)


def verdict(html: str) -> str:
    match = re.search(r'class="answer verdict \w+">.*?</span> ?<span>(.*?)</span>', html, re.DOTALL)
    assert match
    return match[1].strip()


def test_a_request_that_goes_on_where_the_former_ended_could_be_read(client: Client, project: Path) -> None:
    html = page(client, Changing(project=project).twice())
    assert verdict(html).startswith(
        "Model, tools, system prompt and all 1 message of the former are the same; 2 messages"
    )
    assert 'class="answer verdict held"' in html
    assert html.count("the same, all 2") == 2


def test_a_changed_block_of_the_system_prompt_is_shown_word_by_word(client: Client, project: Path) -> None:
    system = [SYSTEM[0], {"type": "text", "text": "\nAlways guess. ü\n"}]
    html = page(client, Changing(project=project).twice(system=system))
    assert verdict(html).startswith("The system prompt changed")
    assert 'id="dsystem.1"' in html
    assert "<del>Never</del>" in html
    assert "<ins>Always</ins>" in html


def test_tools_that_came_went_and_changed_are_told_apart(client: Client, project: Path) -> None:
    tools = [
        {**TOOLS[0], "description": "Runs one command."},
        {"name": "Grep", "description": "Finds.", "input_schema": {}},
    ]
    html = page(client, Changing(project=project).twice(tools=tools))
    assert verdict(html).startswith("The tools changed:")
    assert re.findall(r'class="changed-part is-(\w+)" id="dtools', html) == ["changed", "added", "removed"]
    assert "<ins>one</ins>" in html.replace("<ins>one </ins>", "<ins>one</ins>")


def test_tools_in_another_order_are_a_change(client: Client, project: Path) -> None:
    html = page(client, Changing(project=project).twice(tools=TOOLS[::-1]))
    assert re.findall(r'class="changed-part is-(\w+)" id="dtools', html) == ["moved", "moved"]


def test_parameters_are_compared_one_by_one(client: Client, project: Path) -> None:
    html = page(
        client, Changing(project=project).twice(betas=["claude-code-20250219"], output_config={"effort": "high"})
    )
    assert re.findall(r'<b class="mono">(\w+)</b> <span class="mk changed">', html) == ["betas", "output_config"]
    assert "effort" in verdict(html)


def test_another_model_comes_before_everything_else(client: Client, project: Path) -> None:
    html = page(client, Changing(project=project).twice(model="claude-sonnet-5-5", tools=TOOLS[:1]))
    assert verdict(html).startswith("The model changed from claude-opus-5-5 to claude-sonnet-5-5")


def test_what_is_not_recorded_is_said_to_be_unknown(client: Client, project: Path) -> None:
    transcript = Written(project=project).turns(2).read()  # type: ignore[attr-defined]
    first, *_, last = ids(transcript)
    html = page(client, transcript, f"?a={first}&b={last}")
    assert "Whether tools and system prompt stayed the same is not recorded." in verdict(html)
    assert "No record of either request holds its system prompt." in html


def test_messages_show_the_numbers_that_they_have_in_the_request(client: Client, project: Path) -> None:
    html = page(client, Changing(project=project).twice())
    assert re.findall(r'<span class="nth">(\d+)</span>', html.split('id="rows"')[1]) == ["1", "1", "2", "3"]


def test_requests_of_two_sessions_can_be_compared(client: Client, project: Path) -> None:
    item = Changing(project=project).twice()
    other = Changing(project=project, session="22222222-2222-4333-8444-555555555555")
    other.user("Elsewhere")
    other.assistant("Yes", message="msg_elsewhere")
    there = other.read()
    html = page(client, item, f"?a=msg_first&b={there.public_id}:msg_elsewhere")
    assert f'href="/sessions/{there.public_id}/requests/msg_elsewhere/"' in html


def test_without_two_names_requests_are_offered(client: Client, project: Path) -> None:
    transcript = Changing(project=project).twice()
    assert 'href="?a=msg_second"' in page(client, transcript, "")
    assert 'href="?a=msg_first&amp;b=msg_second"' in page(client, transcript, "?a=msg_first")


def test_a_long_text_is_cut_and_can_be_opened(client: Client, project: Path) -> None:
    words = " ".join(f"word{number}" for number in range(4000))
    tools = [*TOOLS, {"name": "Long", "description": words}]
    transcript = Changing(project=project).twice(tools=tools)
    html = page(client, transcript)
    assert "word3999" not in html
    assert "open=tools.2#dtools.2" in html
    assert "word3999" in page(client, transcript, "?a=msg_first&b=msg_second&open=tools.2")


def test_a_gap_of_messages_and_a_block_are_asked_for_alone(client: Client, project: Path) -> None:
    transcript = Written(project=project).turns(30).read()  # type: ignore[attr-defined]
    first, *_, last = ids(transcript)
    html = page(client, transcript, f"?a={first}&b={last}")
    address = re.findall(r'hx-get="(\?[^"]*part=rows[^"]*)"', html)[0].replace("&amp;", "&")
    assert page(client, transcript, address, **HTMX).lstrip().startswith("<li")


@pytest.mark.parametrize("query", ["?a=msg_first&b=msg_nobody", "?a=nobody:msg_first&b=msg_first", "?a=:&b=::"])
def test_a_request_that_is_not_there_is_not_found(client: Client, project: Path, query: str) -> None:
    transcript = Changing(project=project).twice()
    assert client.get(f"/sessions/{transcript.public_id}/requests/compare/{query}").status_code == 404


def test_nothing_of_either_becomes_markup_and_secrets_are_masked(client: Client, project: Path) -> None:
    system = [{"type": "text", "text": f"{PAYLOAD} {KEY}"}, PAYLOAD]
    tools = [{"name": f"{PAYLOAD} {KEY}", "description": f"{PAYLOAD} {KEY}"}, PAYLOAD, {PAYLOAD: PAYLOAD}]
    transcript = Changing(project=project).twice(
        system=system, tools=tools, **{PAYLOAD: PAYLOAD, "betas": [PAYLOAD, 3]}
    )
    for query in ("", "&open=tools.0", "&open=system.0", "&view=inline", f"&show={quote(PAYLOAD)}"):
        html = page(client, transcript, f"?a=msg_first&b=msg_second{query}")
        for bad in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:', KEY[20:]):
            assert bad not in html, query


def test_the_queries_do_not_grow_with_the_session(client: Client, project: Path) -> None:
    transcript = write_compacted(Written(project=project))
    known = ids(transcript)
    with CaptureQueriesContext(connection) as caught:
        page(client, transcript, f"?a={known[-2]}&b={known[-1]}")
    assert len(caught) <= 22


def test_requests_with_a_compaction_between_them_are_no_session_that_went_back(client: Client, project: Path) -> None:
    transcript = write_compacted(Written(project=project))
    first, *_, last = ids(transcript)
    html = page(client, transcript, f"?a={first}&b={last}")
    assert "went back" not in html
    assert "the conversation was compacted" in html
