from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from inspector.startup.home import prepare_home
from memory.notes.engine import TITLES
from sessions.models import Transcript
from tests.compaction.logged import Logged
from tests.inspector.agents.server import Answer, Call, MessagesServer, Received, Say, messages_server
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def home() -> None:
    prepare_home(settings.LUCID_HOME)
    shutil.rmtree(Path(settings.LUCID_HOME) / "notes", ignore_errors=True)


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Logged(project=tmp_path / "projects" / "-home-dev-tidewatch").talk().read()


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as state:
        models = ModelSettings(api_key=state.key, base_url=state.url, main=MODEL, claude="off", first_pause=0.001)
        with override_settings(MODELS=models):
            yield state


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(printed(*arguments, "--json"))


def test_notes_that_are_not_there_are_told_and_not_taken(transcript: Transcript) -> None:
    result = document("notes", transcript.public_id)
    assert (result["due"], result["updated"]) == (False, None)
    assert "for the first time at 10,000." in result["why"]
    assert tuple(result["sections"]) == TITLES
    assert not Path(result["path"]).exists()
    assert "There are no notes of this session." in printed("notes", transcript.public_id)


def test_notes_are_taken_mechanically_unless_a_model_is_named(transcript: Transcript) -> None:
    result = document("notes", transcript.public_id, "--update")
    assert (result["source"], result["run"], result["status"]) == ("taken by Lucid", Run.objects.get().pk, "completed")
    assert Path(result["path"]).read_text().startswith("# Session Title\n")
    assert result["updated"].endswith("+00:00")
    assert result["sections"]["Worklog"] > 20
    with (
        override_settings(MODELS=ModelSettings(claude="off")),
        pytest.raises(CommandError, match="The configured model cannot be asked"),
    ):
        printed("notes", transcript.public_id, "--update", "--model", "configured")


def writes(request: Received) -> Answer:
    match = re.search(r"the memory directory (\S+/memory)", request.body.decode())
    assert match is not None
    return Say(calls=[Call("Write", {"file_path": f"{match[1]}/tides.md", "content": "High water at noon.\n"})])


def test_an_extraction_prints_what_it_proposes(transcript: Transcript, server: MessagesServer) -> None:
    server.answer(writes, Say("tides.md: it was asked for"))
    result = document("extract", transcript.public_id)
    assert (result["run"], result["status"]) == (Run.objects.get().pk, "completed")
    [file] = result["proposal"]
    assert (file["file"], file["action"], file["reason"]) == ("tides.md", "created", "it was asked for")
    assert file["diff"] == "--- /dev/null\n+++ b/tides.md\n@@ -0,0 +1 @@\n+High water at noon."
    second = document("extract", transcript.public_id)
    assert (second["proposal"], second["summary"]) == ([], "Nobody was asked. Nothing was said since the last look.")


def test_an_extraction_without_a_model_fails_with_what_is_needed(transcript: Transcript) -> None:
    with (
        override_settings(MODELS=ModelSettings(claude="off")),
        pytest.raises(CommandError, match="Only a model can tell what is worth remembering"),
    ):
        printed("extract", transcript.public_id, "--json")


def test_a_range_needs_entries_of_the_session(transcript: Transcript, server: MessagesServer) -> None:
    with pytest.raises(CommandError, match="The session has no entry L999"):
        printed("extract", transcript.public_id, "--from", "L999")
