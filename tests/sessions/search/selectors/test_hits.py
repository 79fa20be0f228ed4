from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions.imports.services.sync import sync
from sessions.models import Transcript
from sessions.search.selectors.indexed_search import search_index
from tests.sessions.writing import Writing, append

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writing = Writing()
    writing.user("Where is the lighthouse?")
    writing.turns(3)
    path = writing.save(tmp_path / "projects" / "-home-dev-tidewatch")
    sync([tmp_path], workers=1)
    return path


def snippets() -> tuple[list[str], int]:
    """Snippets, and how many blocks were asked for."""
    with CaptureQueriesContext(connection) as queries:
        hits = search_index("lighthouse").hits
    texts = ["".join(piece for piece, _ in hit.snippet) for hit in hits]
    return texts, sum("transcripts_block" in query["sql"] for query in queries.captured_queries)


def test_a_file_that_is_as_it_was_is_read_itself(path: Path) -> None:
    assert snippets() == (["Where is the lighthouse?"], 0)


def test_a_file_that_went_on_is_read_from_the_archive(path: Path) -> None:
    append(path, {"type": "system", "content": "more"})
    assert snippets() == (["Where is the lighthouse?"], 1)


def test_a_file_that_is_gone_is_read_from_the_archive(path: Path) -> None:
    path.unlink()
    assert snippets() == (["Where is the lighthouse?"], 1)


def test_a_file_that_was_rewritten_in_place_is_read_from_the_archive(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"lighthouse", b"warehouses"))
    assert snippets() == (["Where is the lighthouse?"], 1)


def test_a_hit_in_a_sub_agent_goes_by_the_name_of_its_session(path: Path) -> None:
    agent = path.parent / path.stem / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    record = {
        "type": "user",
        "uuid": "00000000-0000-4000-8000-00000000a9e1",
        "parentUuid": None,
        "isSidechain": True,
        "agentId": "a1",
        "sessionId": path.stem,
        "timestamp": "2025-10-01T13:00:00.000Z",
        "message": {"role": "user", "content": "Look for the lantern room"},
    }
    agent.write_text(json.dumps(record) + "\n")
    sync([path.parent.parent.parent], workers=1)
    (hit,) = search_index("lantern").hits
    session = Transcript.objects.get(kind=Transcript.Kind.MAIN)
    assert (hit.session, hit.title, hit.agent) == (session.public_id, session.name, "a1")
    assert hit.transcript != session.public_id
    assert hit.project == session.project.name
