from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import Transcript
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db

SPILLED = "<persisted-output>\nOutput too large (141KB). Full output saved to: {path}\n\nPreview (first 2KB):\nhigh"
MISSING_AGENT = "its transcript is not here"
MISSING_FILE = "gone before it could be imported"


@pytest.fixture
def file(tmp_path: Path) -> Written:
    made = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    made.user("Count")
    made.call("Task", "toolu_agent", description="Count the tides", prompt="Count")
    made.result("toolu_agent", "Four", toolUseResult={"status": "completed", "agentId": "a1"})
    made.call("Bash", "toolu_bash", command="heights")
    made.result("toolu_bash", SPILLED.format(path=f"/home/dev/.claude/{made.session}/tool-results/b1.txt"))
    return made


def save_beside(file: Written) -> None:
    agent = Written(project=file.project, session=file.session, agent="a1")
    agent.user("Count")
    agent.save(agent.path.parent, agent.path.stem)
    results = file.project / file.session / "tool-results"
    results.mkdir(parents=True)
    (results / "b1.txt").write_text("high and low water")


def address(transcript: Transcript, rest: str = "") -> str:
    return f"/sessions/{transcript.public_id}/{rest}"


def page(client: Client, transcript: Transcript) -> str:
    return client.get(address(transcript)).content.decode()


def test_what_is_there_is_linked(client: Client, file: Written) -> None:
    save_beside(file)
    transcript = file.read()
    with CaptureQueriesContext(connection) as queries:
        html = page(client, transcript)
    assert len(queries) <= 12
    assert MISSING_AGENT not in html
    assert MISSING_FILE not in html
    assert f'href="{address(transcript, "agents/a1/")}"' in html
    assert f'href="{address(transcript, "results/b1.txt/")}"' in html


def test_what_was_never_imported_is_said_to_be_missing_instead_of_linked(client: Client, file: Written) -> None:
    transcript = file.read()
    html = page(client, transcript)
    assert MISSING_AGENT in html
    assert MISSING_FILE in html
    assert "agents/a1/" not in html
    assert "results/b1.txt/" not in html
    assert client.get(address(transcript, "agents/a1/")).status_code == 404
    assert client.get(address(transcript, "results/b1.txt/")).status_code == 404


def test_a_fork_finds_what_lies_beside_its_origin(client: Client, file: Written) -> None:
    save_beside(file)
    file.save(file.path.parent)
    fork = Written(project=file.project, session="99999999-2222-4333-8444-555555555555", clock=file.clock)
    fork.records = [{**record, "sessionId": fork.session} for record in file.records]
    fork.leaf = file.leaf
    fork.assistant("Once more")
    transcript = fork.read()

    html = page(client, transcript)

    assert MISSING_AGENT not in html
    assert MISSING_FILE not in html
    agent = client.get(address(transcript, "agents/a1/"), follow=True)
    assert "Count" in agent.content.decode()
    assert client.get(address(transcript, "results/b1.txt/")).content == b"high and low water"
