"""Recalls that ask a model, and the replay of all messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from inspector.runs.models import Run
from inspector.runs.services import RunError, run_execute
from memory.recall.selectors.sessions import message_of
from memory.recall.services.evaluations import evaluation_create
from memory.recall.services.recalls import recall_create
from sessions.timeline.selectors.entries import find_entry
from tests.asking import NOBODY, SMALL
from tests.inspector.agents.server import Fail, MessagesServer, Say
from tests.memory.recall.recalls import Harbour

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def harbour(tmp_path: Path) -> Harbour:
    return Harbour(tmp_path)


def execute(run: Run) -> Run:
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def test_the_smallest_model_gets_the_message_and_the_manifest_and_names_files(
    server: MessagesServer, harbour: Harbour
) -> None:
    server.answer(Say('["boats.md", "gone.md"]'))

    run = execute(recall_create(directory=harbour.shelf.directory, text="Which boats sail?"))

    assert (run.status, run.error) == (Run.Status.COMPLETED, "")
    (body,) = [request.json for request in server.requests]
    assert (body["model"], "tools" in body) == (SMALL, False)
    prompt = body["messages"][0]["content"]
    assert "Which boats sail?" in prompt
    assert "- boats.md (feedback, saved today): Which boats sail" in prompt
    assert "The small ones." not in prompt
    assert run.result["chosen"] == ["boats.md"]
    assert run.result["refused"] == ["gone.md: the list has no such file"]
    assert (run.input_tokens, run.output_tokens, run.model) == (10, 5, SMALL)
    assert run.cost is not None


def test_what_the_session_had_by_then_is_not_offered(server: MessagesServer, harbour: Harbour) -> None:
    server.answer(Say("[]"))
    transcript = harbour.read()
    message = message_of(transcript, find_entry(transcript, harbour.second)[1])

    run = execute(recall_create(directory=harbour.shelf.directory, text=message.text, message=message))

    notes = server.requests[0].json["messages"][0]["content"].partition("<notes>")[2].partition("</notes>")[0]
    assert ("fog.md" in notes, "tides.md" in notes, "boats.md" in notes) == (True, False, False)
    assert run.summary == f"{SMALL} chose nothing."


def test_an_answer_that_is_no_list_chooses_nothing_and_says_so(server: MessagesServer, harbour: Harbour) -> None:
    server.answer(Say("You should look at boats.md"))

    run = execute(recall_create(directory=harbour.shelf.directory, text="Which boats sail?"))

    assert (run.status, run.result["chosen"]) == (Run.Status.COMPLETED, [])
    assert "no JSON list" in run.error


def test_for_less_than_two_words_no_model_is_asked(server: MessagesServer, harbour: Harbour) -> None:
    run = execute(recall_create(directory=harbour.shelf.directory, text="tides"))

    assert run.status == Run.Status.FAILED
    assert run.error.startswith("No model was asked.")
    assert server.requests == []


def test_a_model_that_fails_is_named(server: MessagesServer, harbour: Harbour) -> None:
    server.answer(Fail(400, "no such model"))

    run = execute(recall_create(directory=harbour.shelf.directory, text="Which boats sail?"))

    assert (run.status, bool(run.error)) == (Run.Status.FAILED, True)


def test_beyond_the_monthly_budget_nothing_is_asked(server: MessagesServer, harbour: Harbour) -> None:
    run = recall_create(directory=harbour.shelf.directory, text="Which boats sail?")
    with override_settings(MODELS=replace(settings.MODELS, monthly_budget=0.0)):
        with pytest.raises(RunError, match="budget"):
            recall_create(directory=harbour.shelf.directory, text="Which boats sail?")
        assert "budget" in execute(run).error
    assert server.requests == []


@override_settings(MODELS=NOBODY)
def test_without_a_model_there_is_no_run(harbour: Harbour) -> None:
    with pytest.raises(RunError, match="No model can be asked"):
        recall_create(directory=harbour.shelf.directory, text="Which boats sail?")


@override_settings(MODELS=NOBODY)
def test_a_replay_lists_memories_never_chosen_and_messages_where_nothing_fitted(harbour: Harbour) -> None:
    transcript = harbour.read()

    run = execute(evaluation_create(directory=harbour.shelf.directory))

    assert (run.status, run.error) == (Run.Status.COMPLETED, "")
    assert run.summary == (
        "5 messages of 1 session. Something was chosen for 2, nothing fitted 1; 1 of 3 memories never chosen."
    )
    assert run.result["never_chosen"] == ["fog.md"]
    assert run.result["outcomes"] == {
        "chosen": 2,
        "already there": 1,
        "nothing fitted": 1,
        "one word": 1,
        "budget spent": 0,
    }
    (unfitted,) = run.result["listed"]["unfitted"]
    assert (unfitted["session"], unfitted["text"]) == (transcript.public_id, "Rename the package entirely.")
    assert dict(run.result["listed"]["chosen"]) == {"tides.md": 2, "boats.md": 1}


def test_a_directory_that_is_gone_is_told(harbour: Harbour) -> None:
    for file in harbour.shelf.path.iterdir():
        file.unlink()
    harbour.shelf.path.rmdir()

    run = execute(evaluation_create(directory=harbour.shelf.directory))

    assert (run.status, "is gone" in run.error) == (Run.Status.FAILED, True)
