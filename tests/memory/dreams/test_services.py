"""Dreams as runs, with a server that speaks the Messages API: what they read, what they may change, how they end."""

from __future__ import annotations

import errno
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from inspector.runs.models import Run
from inspector.runs.services.schedule import duty_do
from inspector.watcher.duties import WORKER
from memory.dreams.engine.gates import MINUTES_BETWEEN_SCANS
from memory.dreams.engine.lock import NAME, lock_read, lock_take
from memory.dreams.services import dreams_start
from memory.dreams.services.dream_lock import workspaces_folder
from memory.models import DreamScan, Proposal, ProposedFile, Version
from sessions.imports.services.sync import sync
from sessions.models import Transcript
from tests.asking import models
from tests.inspector.agents.server import Call, MessagesServer, Say
from tests.memory.dreams.dream_runs import DAY_NS, consolidated, executed, files
from tests.memory.remembering import Shelf
from tests.sessions.writing import MODEL, Writing

# The pulse of a run has a connection of its own, which has to see it.
pytestmark = pytest.mark.django_db(transaction=True)


def talked(shelf: Shelf) -> tuple[Transcript, str]:
    talk = Writing()
    text = talk.user("High water is at noon, not yesterday.")
    talk.save(shelf.path.parent)
    sync([shelf.path.parents[2]], workers=1)
    return Transcript.objects.get(), text


def last_words(**data: Any) -> str:
    return f"I corrected the tides.\n```json\n{json.dumps(data)}\n```"


def test_it_changes_a_copy_and_proposes_what_came_of_it(server: MessagesServer, shelf: Shelf) -> None:
    transcript, text = talked(shelf)
    before = files(shelf)
    sources = [{"session": transcript.session_id, "entry": text}, {"session": "nobody", "entry": "nowhere"}]
    server.answer(
        Say("Orienting.", calls=[Call("Shell", {"command": "ls"}), Call("Read", {"file_path": "MEMORY.md"})]),
        Say("Gathering.", calls=[Call("Grep", {"pattern": "High water", "path": str(shelf.path.parent)})]),
        Say(
            "Consolidating.",
            calls=[
                Call("Edit", {"file_path": "tides.md", "old_string": "was yesterday", "new_string": "is noon"}, "e1"),
                Call("Write", {"file_path": "fog.md", "content": ""}, "e2"),
                Call("Write", {"file_path": str(shelf.path / "tides.md"), "content": "escaped"}, "e3"),
            ],
        ),
        Say(
            last_words(
                files={"tides.md": {"reason": "It was said so.", "sources": sources}, "stranger.md": {"reason": "?"}},
                contradictions=["Noon against yesterday: noon is newer."],
            )
        ),
    )
    run = executed(shelf)
    assert (run.status, run.error) == ("completed", "")
    assert files(shelf) == before
    assert lock_read(shelf.path).pid is None
    assert not list(workspaces_folder().iterdir())
    proposal = Proposal.objects.get()
    assert (proposal.kind, proposal.run_id, proposal.status) == ("dream", run.pk, "open")
    rows = {file.name: file for file in ProposedFile.objects.all()}
    assert {name: file.action for name, file in rows.items()} == {"fog.md": "deleted", "tides.md": "updated"}
    assert rows["tides.md"].reason == "It was said so."
    assert rows["tides.md"].sources == [[transcript.pk, text]]
    assert proposal.contradictions == ["Noon against yesterday: noon is newer."]
    assert proposal.facts["lost_lines"][-1] == {"file": "fog.md", "line": 7, "text": "Fog comes at dawn."}
    assert "I corrected the tides." in proposal.message
    assert "1 entry that it names" in proposal.message
    said_first = [turn["text"].partition("\n")[0] for turn in run.turns]
    assert said_first[:3] == ["Orienting.", "Gathering.", "Consolidating."]
    assert run.turns[2]["files"] == ["tides.md", "fog.md"]
    assert "Refused: Write" in run.turns[2]["text"]
    assert (run.input_tokens, run.output_tokens, run.progress["files"]) == (40, 20, 2)
    sent = server.requests[0].json
    assert talk_named(sent, shelf)
    grepped = server.requests[2].json["messages"][-1]["content"][0]["content"]
    assert ".jsonl" in grepped


def talk_named(sent: dict[str, Any], shelf: Shelf) -> bool:
    """The prompt names the transcripts that went on since, and the copy; not the directory itself."""
    text = json.dumps(sent["messages"])
    return ".jsonl" in text and str(workspaces_folder()) in text and f"{shelf.path}." not in text


def test_what_is_accepted_at_once_can_be_undone(server: MessagesServer, shelf: Shelf) -> None:
    server.answer(Say(calls=[Call("Write", {"file_path": "wind.md", "content": "West.\n"})]), Say("Done."))
    with override_settings(LUCID_DREAMS_ACCEPT=True):
        run = executed(shelf)
    assert shelf.read("wind.md") == b"West.\n"
    assert (run.result["status"], run.summary) == ("accepted", "Proposes to change 1 file. All of it was accepted.")
    assert Version.objects.get(name="wind.md").batch.run_id == run.pk


def test_a_dream_that_changes_nothing_proposes_nothing(server: MessagesServer, shelf: Shelf) -> None:
    server.answer(Say("All is well."))
    run = executed(shelf)
    assert (run.status, run.summary) == ("completed", "Nothing is to be changed.")
    assert not Proposal.objects.exists()


def test_a_dream_beside_another_is_refused(shelf: Shelf) -> None:
    assert lock_take(shelf.path, now_ns=time.time_ns())
    run = executed(shelf, model="")
    assert run.status == "failed"
    assert run.error == f"Process {os.getpid()} holds the lock, since less than a minute. Nothing was done."


def test_the_budget_ends_it_and_memory_stays(server: MessagesServer, shelf: Shelf) -> None:
    server.answer(
        Say(calls=[Call("Read", {"file_path": "fog.md"})], usage={"input_tokens": 900_000, "output_tokens": 5}),
        Say("Never."),
    )
    with override_settings(MODELS=replace(models(server), monthly_budget=1.0)):
        run = executed(shelf)
    assert run.status == "failed"
    assert "budget" in run.error
    assert len(server.requests) == 1
    assert not (shelf.path / NAME).exists()


def test_without_a_model_it_tidies(shelf: Shelf) -> None:
    before = files(shelf)
    run = executed(shelf, model="")
    assert run.status == "completed"
    proposal = Proposal.objects.get()
    assert (proposal.kind, proposal.status, files(shelf)) == ("tidy", "open", before)
    assert sorted(proposal.files.values_list("name", "action")) == [
        ("MEMORY.md", "updated"),
        ("recovered-from-index.md", "created"),
        ("tides.md", "updated"),
    ]
    assert all(proposal.files.values_list("reason", flat=True))


def test_a_lock_that_got_its_name_before_the_disk_failed_is_put_back(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    when = consolidated(shelf, DAY_NS)
    sync = os.fsync
    failed: list[int] = []

    def fsync(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}") and not failed:
            failed.append(descriptor)
            raise OSError(errno.EIO, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="Input/output error"):
        lock_take(shelf.path, now_ns=time.time_ns())
    assert (lock_read(shelf.path).consolidated_ns, lock_read(shelf.path).pid) == (when, None)


def test_only_transcripts_are_read_beside_the_memory(server: MessagesServer, tmp_path: Path) -> None:
    """A directory that lies elsewhere may have anything beside it."""
    shelf = Shelf(tmp_path / "elsewhere" / "memory")
    (tmp_path / "elsewhere" / "diary.md").write_text("Private.")
    server.answer(Say(calls=[Call("Read", {"file_path": str(tmp_path / "elsewhere" / "diary.md")})]), Say("Done."))
    run = executed(shelf)
    assert "Refused: Read" in run.turns[0]["text"]
    assert "There are no transcripts." in json.dumps(server.requests[0].json)
    assert "Private." not in json.dumps(server.requests[1].json)


# --- the schedule -----------------------------------------------------------------------------------------------------
def sessions(shelf: Shelf, count: int) -> None:
    for number in range(count):
        (shelf.path.parent / f"session-{number}.jsonl").write_text("")


def test_nothing_starts_by_itself_unless_it_is_switched_on(shelf: Shelf) -> None:
    sessions(shelf, 5)
    assert dreams_start() == []
    with override_settings(LUCID_DREAMS=True):
        (run,) = dreams_start()
    assert (run.kind, run.target, run.parameters["model"]) == ("tidy", shelf.directory.path, "")


def test_the_schedule_looks_as_often_as_sessions_may_be_counted(shelf: Shelf) -> None:
    (duty,) = [duty for duty in WORKER if duty.name == "dreams"]
    assert duty.interval == MINUTES_BETWEEN_SCANS * 60
    sessions(shelf, 5)
    assert not duty_do(duty), "it is off"
    with override_settings(LUCID_DREAMS=True):
        assert duty_do(duty)
        assert Run.objects.get().kind == "tidy"
        assert not duty_do(duty), "this period had its turn"


@override_settings(LUCID_DREAMS=True)
def test_with_a_model_the_schedule_dreams(server: MessagesServer, shelf: Shelf) -> None:
    sessions(shelf, 5)
    (run,) = dreams_start()
    assert (run.kind, run.parameters["model"]) == ("dream", MODEL)


@override_settings(LUCID_DREAMS=True)
def test_each_gate_keeps_the_schedule_from_dreaming(shelf: Shelf) -> None:
    sessions(shelf, 4)
    assert dreams_start() == []
    sessions(shelf, 5)
    assert dreams_start() == [], "sessions were counted a moment ago"
    DreamScan.objects.all().delete()
    consolidated(shelf, DAY_NS - 60 * 1_000_000_000)
    assert dreams_start() == [], "it was consolidated a day ago less a minute"
    assert not DreamScan.objects.exists(), "a gate before it was shut, so sessions were not counted"
    (shelf.path / NAME).unlink()
    (shelf.path / NAME).write_text(str(os.getpid()))
    os.utime(shelf.path / NAME, ns=(1, 1))
    assert dreams_start() == [], "somebody dreams"
    DreamScan.objects.all().delete()
    (shelf.path / NAME).write_text("")
    os.utime(shelf.path / NAME, ns=(1, 1))
    assert len(dreams_start()) == 1
