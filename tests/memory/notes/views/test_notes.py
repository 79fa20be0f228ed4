from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun
from memory.files.engine.disk import digest_of
from memory.models import Directory, NotesUpdate
from memory.notes.engine import TITLES, RepairedNotes
from memory.notes.selectors.notes import NotesSituation
from memory.notes.services.runs import notes_run
from memory.notes.services.versions import NotesCoverage, notes_write
from sessions.models import Transcript
from sessions.transcripts.selectors.session_size import STRETCHES_AT_ONCE
from tests.demo import names
from tests.importing import imported
from tests.inspector.agents.server import MessagesServer, messages_server
from tests.sessions.made import HOSTILE

pytestmark = pytest.mark.django_db
ADDRESS = f"/sessions/{names.LONG}/notes/"
MODEL = "claude-sonnet-5-5"


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, configured.DEMO_DIR):
        yield


@pytest.fixture(autouse=True)
def fresh() -> None:
    shutil.rmtree(Path(configured.LUCID_HOME) / "notes", ignore_errors=True)


@pytest.fixture
def server(settings: Settings) -> Iterator[MessagesServer]:
    with messages_server() as state:
        settings.MODELS = ModelSettings(api_key=state.key, base_url=state.url, main=MODEL, claude="off")
        yield state


@pytest.fixture
def memory(tmp_path: Path) -> None:
    """A copy of the demo's memory, as the demo is worked on."""
    project = Transcript.objects.get(public_id=names.LONG).project
    Directory.objects.create(path=str(tmp_path / "memory"), project=project)


def transcript() -> Transcript:
    return Transcript.objects.get(public_id=names.LONG)


def text(client: Client, address: str = ADDRESS) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return plain(response.content.decode())


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_the_notes_of_the_agent_are_shown_by_section_with_their_sizes(client: Client) -> None:
    output = text(client)
    for title in TITLES:
        assert title in output
    assert "taken by the agent" in output
    assert "of 2.0k" in output
    assert "not due" in output
    assert "since the notes were taken; they are taken again after 5,000." in output


def test_a_session_without_notes_says_what_they_would_be(client: Client) -> None:
    output = text(client, f"/sessions/{names.SURVEY}/notes/")
    assert "There are no notes of this session" in output
    assert "notes are taken for the first time at 10,000." in output


def test_a_mechanical_update_is_started_at_once(client: Client) -> None:
    response = client.post(ADDRESS, {"what": "notes", "writer": "mechanical"})
    run = Run.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/runs/{run.pk}/")
    assert run.parameters == {"transcript": transcript().pk, "model": "mechanical", "into_agent": False}
    notes_run(ActiveRun(run), run)
    output = text(client)
    assert "taken by Lucid, mechanically" in output
    assert f"up to entry {NotesUpdate.objects.get().position}" in output


def test_the_history_shows_what_a_version_changed_and_undoes_it(client: Client) -> None:
    for word in ("ebb", "flood"):
        situation = NotesSituation(transcript())
        path = Path(configured.LUCID_HOME) / "notes" / names.LONG / "summary.md"
        notes = RepairedNotes(situation.text.replace("# Worklog", f"{word}\n\n# Worklog"))
        notes_write(
            transcript=transcript(),
            notes=notes,
            covered=NotesCoverage(5, "u", 1000),
            model_name="mechanical",
            expected=None if not path.exists() else digest_of(path.read_bytes()),
        )
    version = NotesUpdate.objects.latest("pk").version
    html = client.get(f"{ADDRESS}?version={version.pk}").content.decode()
    assert "<ins>" in html
    assert html.count("up to entry 5") == 3
    response = client.post(ADDRESS, {"what": "undo", "batch": version.batch_id})
    assert response.status_code == 303
    assert "flood" not in path.read_text()
    assert client.post(ADDRESS, {"what": "undo", "batch": "0"}).status_code == 404


def test_a_model_is_asked_only_after_its_price_was_confirmed(client: Client, server: MessagesServer) -> None:
    parameters = {"what": "notes", "writer": "configured"}
    html = plain(client.post(ADDRESS, parameters).content.decode())
    assert f"Ask {MODEL} to update the notes?" in html
    assert "in the first of at most 5 requests" in html
    assert not Run.objects.exists()
    assert client.post(ADDRESS, {**parameters, "confirmed": MODEL}).status_code == 303
    assert Run.objects.get().parameters["model"] == MODEL


def test_an_extraction_of_a_range_shows_its_price_and_is_queued(
    client: Client, server: MessagesServer, memory: None
) -> None:
    parameters = {"what": "extraction", "first": "L0", "last": "L9"}
    html = plain(client.post(ADDRESS, parameters).content.decode())
    assert f"Ask {MODEL} what to remember?" in html
    assert "told as text" in html
    client.post(ADDRESS, {**parameters, "confirmed": MODEL})
    run = Run.objects.get()
    assert (run.kind, run.parameters["first"], run.parameters["last"]) == ("extraction", 0, 9)


def test_what_makes_no_sense_is_said_beside_its_field(client: Client, server: MessagesServer, memory: None) -> None:
    cases = [
        ({"what": "extraction", "first": "nobody"}, "The session has no such entry."),
        ({"what": "extraction", "first": "L9", "last": "L3"}, "The last entry stands before the first one."),
        ({"what": "notes", "writer": "named", "model": "a b"}, "Name a model"),
    ]
    for request, sentence in cases:
        response = client.post(ADDRESS, request)
        assert (response.status_code, sentence in plain(response.content.decode())) == (422, True), request
    assert not Run.objects.exists()


def test_without_a_model_the_page_says_that_extraction_needs_one(client: Client, settings: Settings) -> None:
    settings.MODELS = ModelSettings(claude="off")
    assert "Only a model can tell what is worth remembering." in text(client)
    response = client.post(ADDRESS, {"what": "extraction"})
    assert response.status_code == 422
    assert "Nothing was changed." in plain(response.content.decode())


def test_nothing_is_started_beyond_the_budget(client: Client, settings: Settings, server: MessagesServer) -> None:
    settings.MODELS = ModelSettings(api_key=server.key, base_url=server.url, main=MODEL, monthly_budget=0.0)
    response = client.post(ADDRESS, {"what": "notes", "writer": "configured"})
    assert response.status_code == 422
    assert "The monthly budget is used up" in plain(response.content.decode())


def test_notes_are_untrusted(client: Client) -> None:
    notes = RepairedNotes(f"# Worklog\n_What_\n\n{HOSTILE}\n\n{names.FAKE_API_KEY}\n")
    notes_write(transcript=transcript(), notes=notes, covered=NotesCoverage(5, "u", 1000), model_name=HOSTILE)
    html = client.get(ADDRESS).content.decode()
    assert HOSTILE not in html
    assert names.FAKE_API_KEY not in html


def test_the_page_asks_few_questions_of_the_database(client: Client) -> None:
    client.get(ADDRESS)
    with CaptureQueriesContext(connection) as queries:
        client.get(ADDRESS)
    assert len(queries) < 45


def test_a_session_that_was_compacted_very_often_is_looked_through_when_somebody_asks(client: Client) -> None:
    result = transcript()
    result.ruler = {**result.ruler, "boundaries": list(range(STRETCHES_AT_ONCE + 1))}
    result.save(update_fields=["ruler"])
    assert "This session is long. See whether its notes are due" in text(client)
    result.ruler = {**result.ruler, "boundaries": list(range(STRETCHES_AT_ONCE))}
    result.save(update_fields=["ruler"])
    assert "This session is long." not in text(client)
