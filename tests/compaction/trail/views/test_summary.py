from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from compaction.kinds.engine import Parameters
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from inspector.agents.choosing import ModelSettings
from sessions.models import Transcript
from tests.compaction.trail.views.test_trail import flat
from tests.pages import fetch
from tests.sessions.writing import START, named
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db

SUMMARY = """\
This session is being continued from a previous conversation.

Summary:
1. Primary Request and Intent:
   - Charts of the tides of Husum, with the datum.
   - Something that nobody ever mentioned.
2. Files and Code Sections:
   - `src/tides.py` was read
6. All user messages:
   - "Please chart the tides of Husum, and say the datum"
"""


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def written(file: Written, summary: str = SUMMARY) -> Transcript:
    file.user("Please chart the tides of Husum, and say the datum")
    file.call("Read", "toolu_1", file_path="/home/dev/tidewatch/src/tides.py")
    file.result("toolu_1", "def chart(): ...")
    for number in range(8):
        file.assistant(f"Step {number} is done, on to the one after it.")
    file.compacts(summary)
    file.assistant("On we go.")
    return file.read()


def summary(client: Client, transcript: Transcript, name: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/compactions/{name}/summary/")


def boundary(file: Written) -> str:
    return next(str(record["uuid"]) for record in file.records if record.get("subtype") == "compact_boundary")


def sentences(html: str) -> dict[str, str]:
    """What stands beside each sentence."""
    matches = re.findall(r'<li id="s\d+".*?<div class="md">(.*?)</div>(.*?)</li>', html, re.DOTALL)
    return {flat(words).strip(): beside for words, beside in matches}


def test_each_sentence_leads_to_its_messages_and_says_why(client: Client, file: Written) -> None:
    transcript = written(file)
    html = summary(client, transcript, boundary(file))
    beside = sentences(html)
    root = f"/sessions/{transcript.public_id}/entries"
    typed, read = file.records[0]["uuid"], file.records[1]["uuid"]
    quoted = beside['"Please chart the tides of Husum, and say the datum"']
    assert f'href="{root}/{typed}/"' in quoted
    assert "quotes it you 0" in flat(quoted)
    assert f'href="{root}/{read}/"' in beside["src/tides.py was read"]
    assert "names the same file Read 1" in flat(beside["src/tides.py was read"])
    assert "no source found" in beside["Something that nobody ever mentioned."]
    assert "3 of 4 sentences can be traced" in flat(html)


def test_the_words_of_the_client_are_folded_and_need_no_source(client: Client, file: Written) -> None:
    html = summary(client, written(file), boundary(file))
    frame = re.search(r'<details class="summary-section is-frame">(.*?)</details>', html, re.DOTALL)
    assert frame is not None
    assert "no source found" not in frame[1]


def test_a_secret_is_masked_before_anything_is_cut(client: Client, file: Written) -> None:
    secret = "sk-ant-api03-" + "Ab1" * 30
    html = summary(client, written(file, f"1. Current Work:\n   The key is {secret}. It works."), boundary(file))
    assert secret not in html
    assert secret[20:60] not in html


def test_what_was_made_here_is_traced_too(client: Client, file: Written) -> None:
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    transcript = file.read()
    nobody = summariser_choose(ModelSettings(claude="off"))
    made = compaction_make(transcript=transcript, kind=FULL, parameters=Parameters(), summariser=nobody, now_ms=START)
    html = summary(client, transcript, f"run-{made.pk}")
    assert f'href="/sessions/{transcript.public_id}/entries/{file.records[0]["uuid"]}/"' in html


def test_it_works_though_the_record_names_a_message_that_is_not_there(client: Client, file: Written) -> None:
    file.user("Please chart the tides of Husum, and say the datum")
    file.assistant("Charted.")
    file.row("system", subtype="compact_boundary", parent=None, logicalParentUuid=named("elsewhere"))
    file.user(SUMMARY, isCompactSummary=True)
    assert "quotes it" in summary(client, file.read(), boundary(file))


def test_what_was_kept_is_no_source(client: Client, file: Written) -> None:
    file.user("Never mind the moon, it is only a light")
    file.assistant("Never mind it.")
    kept = [file.user("Please chart the tides of Husum, and say the datum"), file.assistant("Charted.")]
    metadata = {"trigger": "auto", "preservedMessages": {"anchorUuid": "summary", "uuids": kept}}
    file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None, logicalParentUuid=kept[1])
    file.user(SUMMARY, uuid="summary", isCompactSummary=True)
    file.assistant("On we go.")
    html = summary(client, file.read(), boundary(file))
    assert f"entries/{kept[0]}/" not in html


@pytest.mark.parametrize("name", ["nothing", "run-77", "run-x", "L0", "L99"])
def test_what_has_no_summary_is_not_found(client: Client, file: Written, name: str) -> None:
    transcript = written(file)
    response = client.get(f"/sessions/{transcript.public_id}/compactions/{name}/summary/")
    assert response.status_code == 404


def test_a_summary_of_a_sub_agent_is_shown_under_the_agent(client: Client, file: Written) -> None:
    file.turns(1)
    agent = Written(project=file.project, agent="a17")
    agent.user("Look at the moorings")
    agent.compacts("Nine moorings.")
    agent.save(agent.path.parent, agent.path.stem)
    transcript = file.read()
    response = client.get(f"/sessions/{transcript.public_id}/compactions/{boundary(agent)}/summary/")
    assert response["Location"] == f"/sessions/agent-a17/compactions/{boundary(agent)}/summary/"
