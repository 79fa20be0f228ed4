"""Notes of a session as runs, with a server that speaks the Messages API."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from compaction.kinds.selectors import newest_notes
from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.web.clock import now_ms
from memory.history.services.restoration import batch_undo
from memory.models import Directory, NotesUpdate
from memory.notes.engine import TEMPLATE, TITLES, sections_of
from memory.notes.selectors.notes import NotesSituation, notes_history
from memory.notes.services.runs import notes_create
from memory.notes.services.versions import notes_follow
from sessions.models import Transcript
from tests.compaction.logged import Logged
from tests.inspector.agents.server import Answer, Call, MessagesServer, Received, Say
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db(transaction=True)
GUIDANCE = sections_of(TEMPLATE)[1].guidance


@pytest.fixture(autouse=True)
def forgotten(home: None) -> None:
    shutil.rmtree(Path(settings.LUCID_HOME) / "notes", ignore_errors=True)  # every talk is the same session


@pytest.fixture
def talk(tmp_path: Path) -> Logged:
    return Logged(project=tmp_path / "projects" / "-home-dev-tidewatch").talk()


@pytest.fixture
def transcript(talk: Logged) -> Transcript:
    return talk.read()


def executed(transcript: Transcript, **parameters: Any) -> Run:
    request = {"transcript": transcript.pk, "model": MODEL, **parameters}
    run = Run.objects.create(kind="notes", parameters=request, created_at=now_ms())
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def path_in(request: Received) -> str:
    match = re.search(r"in the file (\S+summary\.md)", request.body.decode())
    assert match is not None
    return match[1]


def edits(old: str, new: str, **more: Any) -> Callable[[Received], Answer]:
    def answer(request: Received) -> Answer:
        given = {"file_path": path_in(request), "old_string": old, "new_string": new, **more}
        return Say(calls=[Call("Edit", given)])

    return answer


def text_of(transcript: Transcript) -> str:
    newest = NotesSituation(transcript).newest
    assert newest is not None
    return newest.text


def test_a_fork_of_the_session_edits_its_notes_and_nothing_else(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(
        Say(calls=[Call("Write", {"file_path": "/tmp/other.md", "content": "x"}), Call("Bash", {"command": "ls"})]),
        edits(GUIDANCE, f"{GUIDANCE}\n\nThe water is 4.2 m high."),
        Say("Done."),
    )
    run = executed(transcript)
    assert run.status == "completed", run.error
    assert "The water is 4.2 m high." in text_of(transcript)
    first, second = server.requests[0].json, server.requests[1].json
    assert [tool["name"] for tool in first["tools"]] == ["Bash", "Read"]
    assert [result["is_error"] for result in second["messages"][-1]["content"]] == [True, True]
    assert run.result["denied"] == [
        "Write was not allowed: The tool Write is not available here.",
        "Bash was not allowed: The tool Bash is not available here.",
    ]
    assert run.result["prompt_cache"].startswith("The client has logged what it sent")
    assert (run.turn_count, run.input_tokens) == (3, 30)
    assert run.turns[1]["files"] == ["summary.md"]
    update = NotesUpdate.objects.get()
    assert (update.run_id, update.model_name, update.position) == (run.pk, MODEL, update.version.position)
    assert not list((Path(settings.LUCID_HOME) / "working").iterdir())


def test_notes_are_kept_in_the_home_unless_somebody_wants_them_with_the_agent(
    server: MessagesServer, transcript: Transcript
) -> None:
    theirs = Path(transcript.source.path).parent / transcript.session_id / "session-memory" / "summary.md"
    executed(transcript, model="mechanical")
    assert not theirs.exists()
    assert NotesSituation(transcript).newest.path.is_relative_to(settings.LUCID_HOME)  # type: ignore[union-attr]
    run = executed(transcript, model="mechanical", into_agent=True)
    assert run.status == "completed"
    assert theirs.read_text() == text_of(transcript)
    assert not server.requests


def test_without_a_model_the_record_fills_the_sections_and_says_so(transcript: Transcript) -> None:
    run = executed(transcript, model="")
    sections = {section.title: section for section in sections_of(text_of(transcript))}
    assert tuple(sections) == TITLES
    assert "taken mechanically" in sections["Current State"].body
    assert run.result["taken_by"] == "mechanical"
    assert Directory.every.exists()
    assert not Directory.objects.exists()
    assert run.summary == "The notes were brought up to date mechanically, without a model."


def test_headings_and_guidance_that_an_update_changed_are_put_back(
    server: MessagesServer, transcript: Transcript
) -> None:
    server.answer(edits(f"# Current State\n{GUIDANCE}", "# Where it stands\n\nHigh water."), Say("Done."))
    run = executed(transcript)
    assert run.result["put_back"] == [
        "The heading “Where it stands” is none of the template; it stands in “Session Title” now.",
        "The section “Current State” was gone; it was put back as it was.",
    ]
    assert tuple(item.title for item in sections_of(text_of(transcript))) == TITLES
    assert "High water." in text_of(transcript)


def test_notes_stay_as_they_were_if_nothing_is_left_of_them_or_nothing_was_edited(
    server: MessagesServer, transcript: Transcript
) -> None:
    server.answer(edits("# ", "## ", replace_all=True), Say("Done."))
    assert executed(transcript).error == "None of the headings is left, so the notes stay as they were."
    server.answer(Say("There is nothing to note."))
    assert executed(transcript).error == "The model has edited nothing, so the notes stay as they were."
    assert NotesSituation(transcript).newest is None


def test_a_session_whose_cache_cannot_be_shared_is_told_as_text(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(edits(GUIDANCE, f"{GUIDANCE}\n\nHigh."), Say("Done."))
    run = executed(transcript, model="claude-sonnet-5-5")
    assert run.status == "completed", run.error
    sent = server.requests[0].json
    assert [tool["name"] for tool in sent["tools"]] == ["Edit"]
    assert "[entry 0, the user]" in sent["messages"][0]["content"][0]["text"]
    assert "prompt cache cannot be shared" in run.result["prompt_cache"]


def test_a_custom_template_and_prompt_are_taken_and_filled_in_once(
    server: MessagesServer, transcript: Transcript, tmp_path: Path
) -> None:
    folder = tmp_path / "session-memory" / "config"
    folder.mkdir(parents=True)
    (folder / "template.md").write_text("# Tides\n_When_\n\n# Boats\n_{{notesPath}}_\n")
    (folder / "prompt.md").write_text("Note it in {{notesPath}}, in the file {{notesPath}}: {{currentNotes}} {{other}}")
    server.answer(edits("_When_", "_When_\nAt noon."), Say("Done."))
    with override_settings(CLAUDE_CONFIG_DIR=tmp_path):
        run = executed(transcript)
    assert run.status == "completed", run.error
    assert text_of(transcript) == "# Tides\n_When_\n\nAt noon.\n\n# Boats\n_{{notesPath}}_\n"
    text = server.requests[0].json["messages"][-1]["content"][-1]["text"]
    assert text.endswith("# Tides\n_When_\n\n# Boats\n_{{notesPath}}_\n {{other}}")


def test_what_is_too_long_is_said_in_the_next_update(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(edits(GUIDANCE, f"{GUIDANCE}\n\n{'High water. ' * 600}"), Say("Done."))
    run = executed(transcript)
    assert run.result["warnings"][0].startswith("The section “Current State” has ~2,")
    server.answer(Say("No."))
    executed(transcript)
    assert "Too long, shorten them now" in server.requests[-1].json["messages"][-1]["content"][-1]["text"]


def test_the_id_of_the_last_message_stays_while_a_call_waits_for_its_result(talk: Logged) -> None:
    executed(talk.read(), model="mechanical")
    before = NotesUpdate.objects.get().last_summarized
    assert before == talk.leaf
    talk.user("And the day after?")
    talk.assistant({"type": "tool_use", "id": "toolu_9", "name": "Bash", "input": {"command": "tide"}}, message="m9")
    executed(talk.read(), model="mechanical")
    assert NotesUpdate.objects.latest("pk").last_summarized == before


def test_notes_have_a_history_along_the_session_and_can_be_undone(talk: Logged) -> None:
    transcript = talk.read()
    executed(transcript, model="mechanical")
    talk.user("Note the neap tide.")
    talk.assistant("Noted.", message="msg_noted")
    transcript = talk.read()
    run = executed(transcript, model="mechanical")
    history = notes_history(transcript)
    assert [item.version.number for item in history] == [2, 1]
    assert history[0].update is not None
    assert history[0].update.position > history[1].update.position  # type: ignore[union-attr]
    assert "neap" in text_of(transcript)
    batch_undo(batch=history[0].version.batch)
    assert history[0].version.batch.run_id == run.pk
    assert "neap" not in text_of(transcript)


def test_a_compaction_takes_the_newest_notes_and_names_who_took_them(transcript: Transcript) -> None:
    theirs = Path(transcript.source.path).parent / transcript.session_id / "session-memory" / "summary.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("# Session Title\n_A title_\n\nThe agent's.\n")
    os.utime(theirs, (1, 1))
    notes_follow(projects=Path(transcript.source.path).parents[1])
    result = newest_notes(transcript)
    assert result is not None
    assert (result.source, result.last_summarized) == ("taken by the agent", "")
    executed(transcript, model="mechanical")
    newer = newest_notes(transcript)
    assert newer is not None
    assert (newer.source, newer.last_summarized) == ("taken by Lucid", NotesUpdate.objects.get().last_summarized)
    assert "_A title_" in newer.text
    assert len(notes_history(transcript)) == 2


def test_one_update_of_a_session_runs_at_a_time(transcript: Transcript) -> None:
    first = notes_create(transcript=transcript, model="mechanical")
    assert notes_create(transcript=transcript, model="mechanical") == first


def test_notes_of_a_sub_agent_are_refused(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-dev-boat"
    main = Logged(project=project).talk()
    main.read()
    agent = Logged(project=project, agent="a1", session=main.session)
    agent.user("Look.")
    agent.assistant("Seen.", message="msg_seen")
    transcript = agent.read()
    assert executed(transcript, model="mechanical").error == "Notes are only taken of the main thread of a session."
    assert not NotesSituation(transcript).due.is_due
