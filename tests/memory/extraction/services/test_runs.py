"""Extractions as runs, with a server that speaks the Messages API: what is found is a proposal, and nothing more."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from inspector.runs.services import RunError, run_execute, run_kill
from inspector.web.clock import now_ms
from memory.extraction.engine.conversation_text import message_text
from memory.extraction.selectors import load_messages
from memory.extraction.services.runs import NO_MODEL, extraction_request
from memory.models import Cause, Extraction, Proposal, Version
from memory.proposals.selectors.proposals import proposal_files
from memory.proposals.services.proposals import proposal_accept
from sessions.models import Transcript
from tests.compaction.logged import Logged
from tests.inspector.agents.server import Answer, Call, Fail, MessagesServer, Received, Say
from tests.serving import wait_until
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db(transaction=True)
INDEX = "- [Harbour](harbour.md) — where it is\n"
TOPIC = """\
---
name: tides
description: how high the water will be
type: project
---

It will be 4.4 m high tomorrow.
"""


@pytest.fixture
def talk(tmp_path: Path) -> Logged:
    project = tmp_path / "projects" / "-home-dev-tidewatch"
    memory = project / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(INDEX)
    (memory / "harbour.md").write_text("---\nname: harbour\ndescription: the harbour\ntype: project\n---\n\nNorth.\n")
    return Logged(project=project).talk()


@pytest.fixture
def transcript(talk: Logged) -> Transcript:
    return talk.read()


def execute(transcript: Transcript, **parameters: Any) -> Run:
    request = {"transcript": transcript.pk, "model": MODEL, **parameters}
    run = Run.objects.create(kind="extraction", target=transcript.public_id, parameters=request, created_at=now_ms())
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def memory_of(transcript: Transcript) -> dict[str, str]:
    folder = Path(transcript.source.path).parent / "memory"
    return {path.name: path.read_text() for path in folder.iterdir()}


def said_at(transcript: Transcript, position: int | None) -> str:
    return next(
        message_text(row)
        for row in load_messages(transcript, 0, transcript.entries)
        if row.position == position
        for message in load_messages(transcript, 0, transcript.entries)
        if message.position == position
    )


def writes(*names: str, outside: bool = False) -> Callable[[Received], Answer]:
    def answer(request: Received) -> Answer:
        match = re.search(r"the memory directory (\S+/memory)", request.body.decode())
        assert match is not None
        calls = [
            Call("Write", {"file_path": f"{match[1]}/{name}", "content": TOPIC}, f"toolu_{name}") for name in names
        ]
        if outside:
            calls.append(Call("Write", {"file_path": f"{match[1]}/../../x.md", "content": "x"}, "toolu_out"))
        return Say(calls=calls)

    return answer


def test_what_is_found_is_proposed_and_written_only_when_it_is_accepted(
    server: MessagesServer, transcript: Transcript
) -> None:
    before = memory_of(transcript)
    server.answer(
        Say(calls=[Call("Read", {"file_path": "MEMORY.md"}), Call("Read", {"file_path": "harbour.md"}, "toolu_2")]),
        writes("tides.md", outside=True),
        Say("- `tides.md`: the user wants metres"),
    )
    run = execute(transcript)
    assert run.status == "completed", run.error
    assert memory_of(transcript) == before
    read = server.requests[1].json["messages"][-1]["content"]
    assert [("North." in str(block), block.get("is_error", False)) for block in read] == [(False, False), (True, False)]
    assert run.result["denied"] == [
        "Write was not allowed: "
        f"{server.requests[2].json['messages'][-2]['content'][-1]['input']['file_path']}"
        " is outside of the directory that may be changed."
    ]
    proposal = Proposal.objects.get()
    assert run.result["links"][0] == ["Review what it proposes", f"/memory/proposals/{proposal.pk}/"]
    assert (proposal.run_id, proposal.kind) == (run.pk, "extraction")
    [file] = proposal_files(proposal)
    assert (file.row.action, file.row.name, file.row.reason) == ("created", "tides.md", "the user wants metres")
    proposal_accept(proposal=proposal)
    assert memory_of(transcript) == {**before, "tides.md": TOPIC}
    version = Version.objects.get(name="tides.md")
    assert (version.cause, version.batch.run_id, version.transcript) == (Cause.RUN, run.pk, transcript)
    assert "How high is the water?" in said_at(transcript, version.position)
    assert not list((Path(settings.LUCID_HOME) / "working").iterdir())


def test_it_is_a_fork_of_the_session_and_has_five_turns(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(*[Say(calls=[Call("Read", {"file_path": "MEMORY.md"})])] * 5)
    run = execute(transcript)
    assert (run.status, run.turn_count) == ("completed", 5)
    assert run.result["ended"] == "It was ended by its turn limit; what it had written by then is in the proposal."
    assert [tool["name"] for tool in server.requests[0].json["tools"]] == ["Bash", "Read"]
    assert "harbour.md [project]: the harbour" in server.requests[0].json["messages"][-1]["content"][-1]["text"]


def test_the_next_one_begins_where_the_last_one_ended(server: MessagesServer, talk: Logged) -> None:
    server.answer(Say("Nothing is worth it."))
    run = execute(talk.read())
    assert run.summary.endswith("found nothing worth remembering.")
    second = execute(talk.read())
    assert second.summary == "Nobody was asked. Nothing was said since the last look."
    talk.user("Always in metres, please.")
    talk.assistant("Metres it is.", message="msg_metres")
    server.answer(Say("Nothing."))
    execute(talk.read())
    assert len(server.requests) == 2
    sent = server.requests[1].json["messages"][0]["content"][0]["text"]
    assert "Always in metres" in sent
    assert "How high is the water?" not in sent


def test_a_stretch_in_which_the_agent_wrote_memory_is_passed_over(server: MessagesServer, talk: Logged) -> None:
    path = str(talk.project / "memory" / "own.md")
    call = {"type": "tool_use", "id": "toolu_w", "name": "Write", "input": {"file_path": path, "content": "x"}}
    talk.user("Remember that.")
    talk.assistant(call, message="msg_write")
    talk.result("toolu_w", "written")
    talk.assistant("I will.", message="msg_will")
    transcript = talk.read()
    run = execute(transcript)
    assert (run.status, server.requests) == ("completed", [])
    assert "The agent wrote memory itself" in run.summary
    assert Extraction.objects.get().position > 0
    assert execute(transcript).summary == "Nobody was asked. Nothing was said since the last look."


def test_a_range_is_told_as_text_and_leaves_the_cursor_alone(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(writes("tides.md"), Say("tides.md: metres"))
    run = execute(transcript, first=0, last=3)
    assert run.status == "completed", run.error
    sent = server.requests[0].json["messages"][0]["content"][0]["text"]
    assert "[entry 0, the user]" in sent
    assert "And tomorrow?" not in sent
    assert not Extraction.objects.get().position


def test_of_those_who_come_meanwhile_the_newest_waits(server: MessagesServer, transcript: Transcript) -> None:
    first = extraction_request(transcript=transcript, model=MODEL)
    assert not first.waits
    for last in (3, 5):
        later = extraction_request(transcript=transcript, model=MODEL, first=0, last=last)
        assert (later.run, later.waits) == (first.run, True)
    server.answer(Say("Nothing."))
    run_execute(run_id=first.run.pk)
    assert [run.parameters["last"] for run in Run.objects.filter(status="queued")] == [5]
    assert Extraction.objects.get().waiting is None


def test_one_that_fails_changes_nothing_and_is_looked_at_again(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(writes("tides.md"), Fail(401))
    run = execute(transcript)
    assert (run.status, run.input_tokens) == ("failed", 10)
    assert run.error == "The API does not accept the key, or the key may not do this."
    assert not Proposal.objects.exists()
    assert not Extraction.objects.get().position


def test_without_a_model_it_says_what_is_needed(transcript: Transcript) -> None:
    with override_settings(MODELS=ModelSettings(claude="off")), pytest.raises(RunError, match="Only a model can tell"):
        extraction_request(transcript=transcript, model=MODEL)
    assert execute(transcript, model="mechanical").error == NO_MODEL


def test_one_that_is_killed_proposes_nothing_and_lets_the_next_one_begin(
    server: MessagesServer, transcript: Transcript
) -> None:
    server.answer(writes("tides.md"), Say("It takes a while.", wait=30))
    run = extraction_request(transcript=transcript, model=MODEL).run
    thread = threading.Thread(target=work, args=(run.pk,))
    thread.start()
    wait_until(lambda: Run.objects.get(pk=run.pk).turn_count == 1)
    assert extraction_request(transcript=transcript, model=MODEL, first=0).waits
    assert run_kill(run_id=run.pk)
    thread.join(10)
    run.refresh_from_db()
    assert (run.status, run.input_tokens) == ("killed", 10)
    assert [run.parameters.get("first") for run in Run.objects.filter(status="queued")] == [0]
    assert not Proposal.objects.exists()
    assert not list((Path(settings.LUCID_HOME) / "working").iterdir())


def work(run_id: int) -> None:
    try:
        run_execute(run_id=run_id)
    finally:
        connection.close()
