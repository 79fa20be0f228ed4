"""What a compaction costs: confirmed before a model is asked, and within the budget."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.models import Compaction
from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from inspector.web.clock import now_ms
from sessions.models import Request
from tests.compaction.kinds.views.compact_pages import (
    ADDRESS,
    SETTINGS,
    chosen,
    execute,
    forecast,
    page,
    transcript,
    words_of,
)
from tests.demo import names
from tests.inspector.agents.server import MessagesServer, Say, messages_server

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]
SUMMARY = "<summary>\nTo have it done.\n</summary>"
MODEL = "claude-sonnet-5-5"


@pytest.fixture
def server(settings: Settings) -> Iterator[MessagesServer]:
    with messages_server() as state:
        settings.MODELS = ModelSettings(api_key=state.key, base_url=state.url, main=MODEL, claude="off")
        yield state


# --- asking a model -----------------------------------------------------------------------------------------------
def asking(**more: str) -> dict[str, str]:
    return {"kind": "full", "writer": "configured", **more}


def test_a_model_is_asked_only_after_its_price_was_confirmed(client: Client, server: MessagesServer) -> None:
    html = page(client, asking())
    assert re.search(rf"~2[01]\.\dk tokens would be sent in 1 request to {MODEL}, for ~\$0\.04", forecast(html))
    response = client.post(ADDRESS, asking(instructions="Mind the moon."))
    html = words_of(response.content)
    assert response.status_code == 200
    for words in (
        f"Ask {MODEL} for the summary?",
        "Nothing has been sent yet",
        "127.0.0.1: the session",
        "at most ~20.0k",
    ):
        assert words in html
    assert re.search(r"~\$0\.04</b> for what is sent, <b>~\$0\.24</b> with the longest answer", html)
    assert "its prompt cache cannot be shared" in html
    assert 'name="instructions" value="Mind the moon."' in html
    assert not Run.objects.exists()
    server.answer(Say(SUMMARY))
    assert client.post(ADDRESS, asking(confirmed=MODEL, instructions="Mind the moon.")).status_code == 303
    run = Run.objects.get()
    assert run.parameters["model"] == MODEL
    assert not server.requests
    execute(run)
    assert Compaction.objects.get(run_id=run.pk).summary.startswith("To have it done.")
    assert "Mind the moon." in str(server.requests[0].json["messages"][-1])


def test_the_button_is_off_where_nothing_would_change(client: Client, server: MessagesServer) -> None:
    off = 'disabled title="Nothing would change"'
    assert off in page(client, {"kind": "auto"})
    assert off not in page(client, {"kind": "auto", **SETTINGS[AUTO]})
    assert off in page(client, {"kind": "budget", "set.per_result": "1,000,000"})
    assert off not in page(client, {"kind": "budget", **SETTINGS[BUDGET]})
    # A summary of a model may be smaller than the one that stands in for it.
    assert off not in page(client, asking())


def test_the_model_of_the_session_stands_first_and_is_asked_by_its_name(client: Client, server: MessagesServer) -> None:
    own = Request.objects.filter(transcript__public_id=names.LONG).order_by("-position").values_list("model", flat=True)
    html = page(client, {"kind": "full"})
    assert html.index('value="session"') < html.index('value="configured"')
    assert f'<b class="mono">{own[0]}</b> The session' in html
    fields = asking(writer="session", confirmed=own[0])
    assert f"Ask {own[0]} for the summary?" in words_of(client.post(ADDRESS, asking(writer="session")).content)
    assert client.post(ADDRESS, fields).status_code == 303
    assert Run.objects.get().parameters["model"] == own[0]


def test_the_page_shows_what_the_api_would_be_asked_and_gives_the_whole_request(client: Client) -> None:
    query = {"kind": "microcompact", "mode": "api", "set.compact.enabled": "on"}
    html = page(client, query)
    assert "Sent beside the messages" in html
    for words in ("clear_tool_uses_20250919", "compact_20260112", "compact-2026-01-12"):
        assert words in html
    assert f"{ADDRESS}request/?kind=microcompact&mode=api" in html
    response = client.get(f"{ADDRESS}request/", query)
    assert response["Content-Disposition"] == 'attachment; filename="request.json"'
    document = json.loads(response.content)
    edits = [edit["type"] for edit in document["body"]["context_management"]["edits"]]
    assert edits[-2:] == ["clear_tool_uses_20250919", "compact_20260112"]
    assert "compact-2026-01-12" in document["betas"]
    assert document["body"]["messages"][0]["role"] == "user"
    at_once = json.loads(client.get(f"{ADDRESS}request/", {**query, "set.compact.at_once": "on"}).content)
    assert at_once["body"]["compaction"] == {"type": "summarize"}
    assert "context_management" not in at_once["body"]
    cached = {"kind": "microcompact", "mode": "cached", "set.trigger": "1", "set.keep": "0"}
    body = json.loads(client.get(f"{ADDRESS}request/", cached).content)["body"]
    deleted = {edit["cache_reference"] for edits in body["cache_edits"] for edit in edits["edits"]}
    referenced = {block.get("cache_reference") for message in body["messages"] for block in message["content"]}
    assert deleted
    assert deleted <= referenced


def test_a_setting_that_the_api_refuses_is_explained(client: Client) -> None:
    html = page(client, {"kind": "microcompact", "mode": "api", "set.compact.starts_at": "100"})
    assert "The API compacts from 50,000 input tokens on, not 100." in html
    query = {"kind": "microcompact", "mode": "api", "set.compact.starts_at": "100"}
    assert client.get(f"{ADDRESS}request/", query).status_code == 404


def test_a_confirmation_is_of_one_model(client: Client, server: MessagesServer) -> None:
    fields = asking(writer="named", model="claude-opus-5-5", confirmed=MODEL)
    assert "Ask claude-opus-5-5 for the summary?" in words_of(client.post(ADDRESS, fields).content)
    assert not Run.objects.exists()


@pytest.mark.parametrize("name", ["", "--help", "a b", "x" * 81])
def test_what_is_no_name_of_a_model_is_refused(client: Client, server: MessagesServer, name: str) -> None:
    response = client.post(ADDRESS, asking(writer="named", model=name))
    assert response.status_code == 422
    assert "Name a model" in words_of(response.content)


def test_a_price_that_is_not_known_is_unknown(client: Client, server: MessagesServer) -> None:
    fields = asking(writer="named", model="kelp-coder-32b")
    assert "an unknown price" in forecast(page(client, fields))
    html = words_of(client.post(ADDRESS, fields).content)
    assert "kelp-coder-32b is not in our table of prices." in html
    assert "$0.00 </b>" not in html


def test_each_span_of_a_collapse_is_a_request(client: Client, server: MessagesServer) -> None:
    fields = {**chosen(COLLAPSE), "set.collapse.most": "1,500", "writer": "configured"}
    html = words_of(client.post(ADDRESS, fields).content)
    assert re.search(r"tokens in [2-9] requests", html)


def test_what_asks_a_model_is_confirmed_again_before_it_is_repeated(client: Client, server: MessagesServer) -> None:
    parameters = {"transcript": transcript().pk, "kind": "full", "model": MODEL, "settings": {"files.most": "2"}}
    parameters |= {"instructions": "Mind the moon."}
    run = Run.objects.create(kind="compaction", status="failed", parameters=parameters, created_at=1, finished_at=2)
    response = client.post(f"/runs/{run.pk}/retry/")
    assert (response.status_code, response["Location"]) == (303, f"{ADDRESS}?again={run.pk}")
    html = words_of(client.get(response["Location"]).content)
    assert f'name="model" value="{MODEL}"' in html
    assert 'name="set.attachments.files.most" value="2"' in html
    assert "Mind the moon." in html
    client.post(ADDRESS, asking(again=str(run.pk), confirmed=MODEL))
    assert Run.objects.get(retry_of=run).attempt == 2
    Run.objects.filter(pk=run.pk).update(parameters={**parameters, "model": "mechanical"})
    assert client.post(f"/runs/{run.pk}/retry/")["Location"].startswith("/runs/")


# --- the budget ---------------------------------------------------------------------------------------------------
def spent(cost: float | None, **more: Any) -> Run:
    given = {"kind": "compaction", "status": "completed", "output_tokens": 9, "created_at": now_ms(), "finished_at": 1}
    return Run.objects.create(**{**given, "cost": cost, **more})


def test_the_form_and_the_runs_show_what_is_left(client: Client, server: MessagesServer, settings: Settings) -> None:
    assert "Models have cost $0.00 in" in page(client, asking())
    assert "no budget is set" in page(client, asking())
    settings.MODELS = replace(settings.MODELS, monthly_budget=10.0)
    spent(3.5)
    spent(None)
    spent(99.0, created_at=1)
    for html in (
        page(client, asking()),
        words_of(client.get("/runs/").content),
        words_of(client.post(ADDRESS, asking()).content),
    ):
        assert "$6.50 of $10.00 left in" in html
        assert "Without 1 run of models whose price is unknown." in html


def test_a_budget_that_is_used_up_starts_nothing(client: Client, server: MessagesServer, settings: Settings) -> None:
    settings.MODELS = replace(settings.MODELS, monthly_budget=3.0)
    spent(3.0)
    response = client.post(ADDRESS, asking(confirmed=MODEL, instructions="Mind the moon."))
    assert response.status_code == 422
    assert "The monthly budget is used up, so no model was asked. Models have cost $3.00 of $3.00" in words_of(
        response.content
    )
    assert "Mind the moon." in words_of(response.content)
    assert Run.objects.count() == 1
    assert client.post(ADDRESS, {"kind": "full"}).status_code == 303


def test_what_costs_more_than_is_left_cannot_be_confirmed(
    client: Client, server: MessagesServer, settings: Settings
) -> None:
    settings.MODELS = replace(settings.MODELS, monthly_budget=1.0)
    spent(0.99)
    html = words_of(client.post(ADDRESS, asking()).content)
    assert "It costs more than is left of the budget." in html
    assert 'name="confirmed"' not in html
    Run.objects.update(cost=0.9)
    html = words_of(client.post(ADDRESS, asking()).content)
    assert "With the longest answer it would cost more" in html
    assert 'name="confirmed"' in html
