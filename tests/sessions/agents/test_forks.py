"""What an agent is doing, asked as a fork of its own request while that is still cached."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.web.clock import now_ms
from sessions.agents.services import agent_summaries_create
from sessions.models import AgentSummary, Capture, Transcript
from tests.asking import SMALL
from tests.compaction.cache.cached_session import Cached
from tests.compaction.cache.engine.request_bodies import OPUS, SYSTEM
from tests.inspector.agents.server import Call, MessagesServer, Say
from tests.pages import flowing
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = 60_000


def session_of(folder: Path, *, minutes_ago: int) -> tuple[Transcript, Cached]:
    """A session with an agent that asked last so long ago."""
    project, clock = folder / "projects" / "-home-dev-tidewatch", now_ms() - minutes_ago * MINUTE
    main = Written(project=project, clock=clock)
    main.user("Count")
    agent = Cached(project=project, session=main.session, agent="a1", clock=clock).warm()
    agent.save(agent.path.parent, agent.path.stem)
    return main.read(), agent


def summary_run(session: Transcript, *, forks: bool = True) -> Run:
    run = agent_summaries_create(session=session, keys=["a1"], forks=forks)
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert run.error == ""
    return run


def test_a_warm_agent_is_asked_as_a_fork_of_its_own_request(server: MessagesServer, tmp_path: Path) -> None:
    session, agent = session_of(tmp_path, minutes_ago=1)
    server.answer(Say("Reading heights.py", usage={"cache_read_input_tokens": 50_500}))
    run = summary_run(session)
    body = server.requests[0].json
    assert body["model"] == OPUS
    assert [block["text"] for block in body["system"]] == list(SYSTEM)
    *before, own = body["messages"]
    assert len(before) == len(agent.sent)
    assert "call no tool" in own["content"][-1]["text"]
    assert AgentSummary.objects.get().model == OPUS
    assert Capture.objects.get().parent_message
    assert "1 of 1 agent was asked as a fork" in run.result["prompt_cache"]
    assert "50.5k of" in run.result["prompt_cache"]


def test_a_fork_that_calls_a_tool_is_followed_by_the_small_model(server: MessagesServer, tmp_path: Path) -> None:
    session, _ = session_of(tmp_path, minutes_ago=1)
    server.answer(Say(calls=[Call("Read", {"file_path": "x"})]), Say("Counting tides"))
    run = summary_run(session)
    assert [request.json["model"] for request in server.requests] == [OPUS, SMALL]
    assert AgentSummary.objects.get().words == "Counting tides"
    assert run.input_tokens == 20


@pytest.mark.parametrize(("minutes", "forks"), [(6, True), (1, False)])
def test_a_cold_agent_and_whoever_wants_it_so_ask_the_small_model(
    server: MessagesServer, tmp_path: Path, minutes: int, forks: bool
) -> None:
    session, _ = session_of(tmp_path, minutes_ago=minutes)
    server.answer(Say("Reading heights.py"))
    run = summary_run(session, forks=forks)
    assert [request.json["model"] for request in server.requests] == [SMALL]
    assert "prompt_cache" not in run.result


def test_the_page_tells_both_prices(client: Client, server: MessagesServer, tmp_path: Path) -> None:
    session, _ = session_of(tmp_path, minutes_ago=1)
    address = f"/sessions/{session.public_id}/agents/summaries/"
    html = flowing(client.get(address).content.decode())
    assert "1 as a fork of the agent's own request, whose cache it shares: ~50.5k of the tokens can be read" in html
    assert "Ask only the smallest model" in html
    client.post(address, {"small": "1"})
    assert Run.objects.get().parameters["forks"] is False
