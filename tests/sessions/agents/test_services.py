from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings

from inspector.runs.models import Run
from inspector.runs.services import RunError, run_execute
from sessions.agents.services import agent_summaries_create
from sessions.models import AgentSummary, Transcript
from tests.asking import NOBODY, SMALL
from tests.inspector.agents.server import Fail, MessagesServer, Say
from tests.pages import flowing
from tests.sessions.agents.views.test_tree import HTMX, saved, started
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


@pytest.fixture
def session(file: Written) -> Transcript:
    file.user("Count")
    saved(started(file, "a1", description="Count the tides"), started(file, "a2"))
    return file.read()


def summary_run(session: Transcript, *keys: str) -> Run:
    run = agent_summaries_create(session=session, keys=list(keys))
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def test_the_smallest_model_is_asked_once_for_each_agent_without_tools(
    server: MessagesServer, session: Transcript
) -> None:
    server.answer(Say("“Reading heights.py.”"), Say("Counting the tides at Port Hallow"))

    run = summary_run(session, "a1", "a2")

    assert (run.status, run.error) == (Run.Status.COMPLETED, "")
    bodies = [request.json for request in server.requests]
    assert [(body["model"], "tools" in body, len(body["messages"])) for body in bodies] == [(SMALL, False, 1)] * 2
    assert "Agent calls Read(file_path=/home/dev/heights.py)" in bodies[0]["messages"][0]["content"]
    kept = {
        agent_summary.transcript.agent_id: agent_summary
        for agent_summary in AgentSummary.objects.select_related("transcript")
    }
    assert {name: item.words for name, item in kept.items()} == {
        "a1": "Reading heights.py",
        "a2": "Counting the tides at Port Hallow",
    }
    assert {(item.position, item.model, item.run_id) for item in kept.values()} == {(3, SMALL, run.pk)}
    assert (run.input_tokens, run.output_tokens, run.model, run.turn_count) == (20, 10, SMALL, 2)
    assert run.cost is not None


def test_agents_of_which_nothing_new_is_known_are_not_asked_about_again(
    client: Client, server: MessagesServer, file: Written
) -> None:
    file.user("Count")
    item = started(file, "a1")
    saved(item)
    session = file.read()
    server.answer(Say("Reading heights.py"), Say("Writing the table"))
    summary_run(session, "a1")
    assert summary_run(session, "a1").summary == "Nothing has happened since they were asked."

    item.turns(2)
    saved(item)
    file.read()
    html = flowing(client.get(f"/sessions/{session.public_id}/agents/summaries/").content.decode())
    assert "8 entries since" in html
    summary_run(session, "a1")

    assert len(server.requests) == 2
    assert "“Reading heights.py”" in server.requests[1].json["messages"][0]["content"]
    assert [summary.words for summary in AgentSummary.objects.order_by("position")] == [
        "Reading heights.py",
        "Writing the table",
    ]


def test_what_was_answered_before_a_failure_is_kept_and_the_failure_says_why(
    server: MessagesServer, session: Transcript
) -> None:
    server.answer(Say("Reading heights.py"), Fail(401, "invalid x-api-key"))

    run = summary_run(session, "a1", "a2")

    assert run.status == Run.Status.FAILED
    assert "What was answered before is kept." in run.error
    assert [agent_summary.words for agent_summary in AgentSummary.objects.all()] == ["Reading heights.py"]


def test_an_answer_without_words_is_a_failure(server: MessagesServer, session: Transcript) -> None:
    server.answer(Say(" "))
    assert "without a word" in summary_run(session, "a1").error


def test_beyond_the_monthly_budget_nothing_is_asked(server: MessagesServer, session: Transcript) -> None:
    run = agent_summaries_create(session=session, keys=["a1"])
    with override_settings(MODELS=replace(settings.MODELS, monthly_budget=0.0)):
        with pytest.raises(RunError, match="budget"):
            agent_summaries_create(session=session, keys=["a1"])
        run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, server.requests) == (Run.Status.FAILED, [])
    assert "budget" in run.error


@override_settings(MODELS=NOBODY)
def test_without_a_model_nothing_starts_and_the_reason_says_what_to_set(session: Transcript) -> None:
    with pytest.raises(RunError, match="ANTHROPIC_API_KEY"):
        agent_summaries_create(session=session, keys=["a1"])
    assert not Run.objects.exists()


@override_settings(MODELS=NOBODY)
def test_without_a_model_the_page_shows_the_last_call_and_what_to_set(client: Client, session: Transcript) -> None:
    address = f"/sessions/{session.public_id}/agents/summaries/"
    html = client.get(address).content.decode()
    assert html.count("Reading heights.py") == 2
    assert html.count(">mechanical</span>") == 2
    assert "Set ANTHROPIC_API_KEY" in html
    assert "<button" not in html[html.index('<main id="main"') : html.index("</main>")]
    assert client.post(address).status_code == 409


def test_the_price_is_shown_before_and_the_words_with_their_age_after(
    client: Client, server: MessagesServer, session: Transcript
) -> None:
    address = f"/sessions/{session.public_id}/agents/summaries/"
    before = client.get(address).content.decode()
    assert "Ask what all 2 are doing" in before
    assert "2 requests to" in before
    assert "under $0.0001" in before

    server.answer(Say("Reading heights.py"))
    response = client.post(f"{address}?page=1", {"agent": "a1"})
    assert (response.status_code, response["Location"]) == (303, f"{address}?page=1")
    waiting = client.get(address, headers={**HTMX, "HX-Target": "summaries"}).content.decode()
    assert 'hx-trigger="every 1s"' in waiting
    run_execute(run_id=Run.objects.get().pk)

    after = client.get(address, headers={**HTMX, "HX-Target": "summaries"}).content.decode()
    assert after.startswith('<section id="summaries"')
    assert after.count('hx-swap-oob="true"') == 4
    assert "Reading heights.py" in after
    assert "just now" in after
    assert "Ask what it is doing" in after
    assert 'hx-trigger="every' not in after
