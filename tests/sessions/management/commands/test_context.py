from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.sessions.writing import MODEL
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("context", *arguments, stdout=out)
    return out.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return data


def test_it_prints_what_is_sent_next(file: Written) -> None:
    file.turns(1)
    file.user("And now?")
    file.read()
    result = document(file.session)
    assert (result["session"], result["request"], result["exactness"]) == (file.session, None, "reconstructed")
    assert [message["role"] for message in result["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert result["messages"][-1]["content"] == [{"type": "text", "text": "And now?"}]
    assert result["messages"][-1]["entries"] == [file.records[-1]["uuid"]]
    assert result["tokens"]["total"] == sum(result["tokens"].values()) - result["tokens"]["total"] > 0
    assert result["left_out"] == []


def test_it_prints_what_was_sent_in_a_request(file: Written) -> None:
    file.turns(2)
    file.read()
    message_id = file.records[3]["message"]["id"]
    result = document(file.session, "--request", message_id)
    assert result["request"] == message_id
    assert len(result["messages"]) == 3


def test_it_prints_what_would_be_sent_after_an_entry(file: Written) -> None:
    file.turns(2)
    file.read()
    result = document(file.session, "--at", file.records[0]["uuid"])
    assert len(result["messages"]) == 1


def test_it_prints_a_line_for_every_request(file: Written) -> None:
    file.turns(3)
    file.read()
    lines = [json.loads(line) for line in run(file.session, "--every-request").splitlines()]
    assert [line["request"] for line in lines] == [
        record["message"]["id"] for record in file.records if record["type"] == "assistant"
    ]
    assert [len(line["messages"]) for line in lines] == [1, 3, 5, 7, 9, 11]


def test_the_digests_of_every_request_are_those_of_each(file: Written) -> None:
    file.turns(2)
    file.compacts("In short.")
    file.turns(2)
    file.read()
    lines = [json.loads(line) for line in run(file.session, "--every-request", "--digest").splitlines()]
    for line in lines:
        assert line["messages"] == document(file.session, "--request", line["request"], "--digest")["messages"]


def test_an_answer_that_the_client_wrote_itself_is_no_request(file: Written) -> None:
    file.turns(1)
    file.user("Never mind")
    file.assistant("No response requested.", model="<synthetic>", message="written-here")
    file.read()
    lines = [json.loads(line) for line in run(file.session, "--every-request").splitlines()]
    assert len(lines) == 2
    assert document(file.session)["model"] == MODEL
    with pytest.raises(CommandError, match="No request of this session was answered by written-here"):
        run(file.session, "--request", "written-here")


def test_an_answer_without_counts_has_its_context_too(file: Written) -> None:
    file.turns(1)
    file.user("And now?")
    file.assistant("Now.", message="msg_uncounted", usage=None)
    file.read()
    last = json.loads(run(file.session, "--every-request").splitlines()[-1])
    result = document(file.session, "--request", "msg_uncounted")
    assert result["messages"] == last["messages"]
    assert result["messages"][-1]["content"][0]["text"] == "And now?"


def test_digests_are_hashes_of_what_was_said(file: Written) -> None:
    file.user("abc")
    file.assistant("Yes.")
    file.read()
    request = [file.session, "--request", file.records[1]["message"]["id"], "--digest"]
    assert run(*request) == run(*request, "--json")
    block = document(*request)["messages"][0]["content"][0]
    assert block == {
        "type": "text",
        "chars": 3,
        "sha256": "ba7816bf8f01cfea414140de",
        "core": "ba7816bf8f01cfea414140de",
    }


def test_the_context_of_a_sub_agent_is_its_own(file: Written) -> None:
    file.turns(1)
    agent = Written(project=file.project, session=file.session, agent="a1b2c3")
    agent.user("Count the boats")
    agent.assistant("Three.", message="msg_agent")
    agent.save(agent.path.parent, agent.path.stem)
    file.read()
    result = document(file.session, "--agent", "a1b2c3", "--request", "msg_agent")
    assert [message["role"] for message in result["messages"]] == ["user"]
    assert document(file.session, "--request", "msg_agent")["messages"] == result["messages"]


def test_what_stands_for_a_collapsed_span_names_the_record_that_says_so(file: Written) -> None:
    file.turns(2)
    first, last = file.records[0]["uuid"], file.records[3]["uuid"]
    file.state("marble-origami-commit", firstArchivedUuid=first, lastArchivedUuid=last, summaryContent="They looked.")
    file.user("And now?")
    file.read()
    result = document(file.session)
    assert result["messages"][0]["entries"][0] == "L8"
    assert {item["by"] for item in result["left_out"] if item["reason"] == "collapsed"} == {"L8"}


def test_what_a_compaction_left_out_is_told_with_its_boundary(file: Written) -> None:
    file.turns(1)
    file.compacts("In short.")
    file.user("More")
    file.read()
    result = document(file.session)
    boundary = file.records[4]["uuid"]
    assert {(item["reason"], item["by"]) for item in result["left_out"]} == {
        ("summarised", boundary),
        ("never sent", None),
    }


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--request", "msg_none"], "No request of this session was answered by msg_none."),
        (["--at", "none"], "The session has no entry none."),
        (["--agent", "none"], "The session has no sub-agent 'none'."),
        (["--request", ""], "--request is empty."),
        (["--at", ""], "--at is empty."),
        (["--agent", ""], "--agent is empty."),
    ],
)
def test_a_point_that_is_not_there_is_one_sentence(file: Written, arguments: list[str], reason: str) -> None:
    file.turns(1)
    file.read()
    with pytest.raises(CommandError, match=reason):
        run(file.session, *arguments)


def test_without_json_it_speaks_to_people(file: Written) -> None:
    file.turns(1)
    file.read()
    result = run(file.session)
    assert re.match(r"reconstructed, 4 messages, \d+ tokens \(whole prompt\), estimated", result)
    assert "unknown: The system prompt" in result
