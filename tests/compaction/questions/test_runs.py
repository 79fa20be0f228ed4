"""Three questions to one session at once: what is sent, what comes of each answer, and what the shared cache saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from compaction.models import Compaction
from inspector.agents.forks import TAG
from inspector.agents.wire import to_bytes
from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.web.clock import now_ms
from memory.models import Extraction, NotesUpdate, Proposal
from sessions.models import Capture, Transcript
from tests.compaction.logged import Logged
from tests.compaction.mechanisms.engine.summarising import REPLY
from tests.inspector.agents.server import Answer, Call, Fail, MessagesServer, Received, Say
from tests.pages import flowing
from tests.sessions.writing import MODEL
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)
USAGE = {"input_tokens": 100, "cache_read_input_tokens": 40_000, "output_tokens": 50}


@pytest.fixture
def talk(tmp_path: Path) -> Logged:
    project = tmp_path / "projects" / "-home-dev-tidewatch"
    memory = project / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- [Harbour](harbour.md) — where it is\n")
    return Logged(project=project, clock=now_ms() - 60_000).talk()


def text_of(request: Received) -> str:
    return str(request.json["messages"][-1]["content"][-1].get("text", ""))


def answer(request: Received) -> Answer:
    """By what is asked: the requests come in any order."""
    question = str([message for message in request.json["messages"] if TAG in str(message)])
    if request.json["messages"][-1]["content"][0].get("type") == "tool_result":
        return Say("Done.", usage=USAGE)
    if "summary.md" in question:
        path = next(word.strip("'\"`().,") for word in question.replace("\\n", " ").split() if "summary.md" in word)
        heading = "# Session Title"
        edit = {"file_path": path, "old_string": heading, "new_string": f"{heading}\n"}
        return Say(calls=[Call("Edit", edit)], usage=USAGE)
    if "memory" in question and "extraction-" in question:
        return Say("Nothing is worth remembering.", usage=USAGE)
    return Say(REPLY, usage=USAGE)


def run_of(transcript: Transcript) -> Run:
    parameters = {"transcript": transcript.pk, "model": MODEL}
    run = Run.objects.create(kind="questions", target=transcript.public_id, parameters=parameters, created_at=now_ms())
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def test_three_questions_differ_in_their_last_block_alone(server: MessagesServer, talk: Logged) -> None:
    server.otherwise = answer
    run = run_of(talk.read())
    assert (run.status, run.error) == (Run.Status.COMPLETED, "")
    first = [request for request in server.requests if TAG in text_of(request)]
    assert len(first) == 3

    def prefix(request: Received) -> dict[str, Any]:
        *before, last = request.json["messages"]
        return {**request.json, "messages": [*before, {**last, "content": last["content"][:-1]}]}

    assert len({to_bytes(prefix(request)) for request in first}) == 1
    assert len({text_of(request) for request in first}) == 3


def test_each_answer_does_what_it_is_for_and_the_saving_is_told(server: MessagesServer, talk: Logged) -> None:
    server.otherwise = answer
    transcript = talk.read()
    run = run_of(transcript)
    assert Compaction.objects.get(run_id=run.pk).done
    assert NotesUpdate.objects.get().model_name == MODEL
    assert Extraction.objects.get(transcript=transcript).position == transcript.entries
    assert not Proposal.objects.exists()
    assert "120.0k of their 120.3k tokens came from its prompt cache" in run.result["prompt_cache"]
    assert "less than without a cache" in run.result["prompt_cache"]
    assert "found nothing worth remembering" in run.result["memories"]
    assert Capture.objects.filter(run_id=run.pk).exclude(parent_message="").count() == len(server.requests)
    assert run.input_tokens == 100 * len(server.requests)


def test_a_question_that_fails_keeps_the_others(server: MessagesServer, talk: Logged) -> None:
    def fails_for_notes(request: Received) -> Answer:
        return Fail(401) if "summary.md" in text_of(request) else answer(request)

    server.otherwise = fails_for_notes
    run = run_of(talk.read())
    assert run.status == Run.Status.COMPLETED
    assert run.result["alarm"].startswith("notes: ")
    assert run.result["notes"].startswith("Failed: ")
    assert Compaction.objects.get(run_id=run.pk).done
    assert not NotesUpdate.objects.exists()


def test_when_none_is_answered_the_run_fails(server: MessagesServer, talk: Logged) -> None:
    server.otherwise = lambda _request: Fail(401)
    run = run_of(talk.read())
    assert run.status == Run.Status.FAILED
    assert run.error.startswith("None of the questions was answered.")


def test_the_page_shows_the_price_before_anything_is_sent(client: Client, server: MessagesServer, talk: Logged) -> None:
    address = f"/sessions/{talk.read().public_id}/questions/"
    html = flowing(client.get(address).content.decode())
    assert "Ask the session for 3 things at once?" in html
    assert "The questions share one cache" in html
    assert "is cached for another" in html
    assert not server.requests
    response = client.post(address, {"confirmed": MODEL})
    assert response.status_code == 303
    assert Run.objects.get().kind == "questions"


def test_a_session_whose_request_is_unknown_says_why_it_cannot_be_asked(
    client: Client, server: MessagesServer, tmp_path: Path
) -> None:
    transcript = Written(project=tmp_path / "projects" / "-home-dev-x").turns(2).read()  # type: ignore[attr-defined]
    address = f"/sessions/{transcript.public_id}/questions/"
    html = flowing(client.get(address).content.decode())
    assert "This session cannot be asked at once" in html
    assert "No record of this session holds the system prompt" in html
    assert 'name="confirmed"' not in html
    assert client.post(address, {"confirmed": ""}).status_code == 200
    assert not Run.objects.exists()
