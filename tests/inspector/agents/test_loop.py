from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inspector.agents.anthropic_model import AnthropicModel
from inspector.agents.cache_marks import remove_marks
from inspector.agents.cancel import CancelToken
from inspector.agents.forks import CacheSafeParams, fork
from inspector.agents.loop import AgentEnd, AgentLimits, AgentOutcome, AgentProgress, ToolStarted, Turn, run_agent
from inspector.agents.model import Ask
from inspector.agents.retrying import Retries
from inspector.agents.tools import Denial, Readable, Toolbox, Writable, reading_tools, writing_tools
from sessions.usage.engine.usage import Usage
from tests.inspector.agents.marked import mark_positions
from tests.inspector.agents.server import Call, Fail, MessagesServer, Say, messages_server

TASK = {"role": "user", "content": [{"type": "text", "text": "Tidy up."}]}
ASK = Ask("claude-test", (TASK,), system="You tidy up.")


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("one\n")
    return tmp_path


def run(server: MessagesServer, root: Path, ask: Ask = ASK, **options: Any) -> AgentOutcome:
    model = AnthropicModel(server.key, base_url=server.url, retries=Retries(attempts=1))
    box = Toolbox([*reading_tools(Readable((root,))), *writing_tools(Writable(root))])
    return run_agent(model, ask, box, **options)


WORK = (
    Say("Looking.", calls=[Call("Read", {"file_path": "a.md"}, "t1"), Call("Shell", {"command": "ls"}, "t2")]),
    Say(
        thinking="Hm.",
        calls=[
            Call("Edit", {"file_path": "a.md", "old_string": "one", "new_string": "two"}, "t3"),
            Call("Write", {"file_path": "../b.md", "content": "x"}, "t4"),
            Call("Write", {"file_path": "c.md", "content": "x"}, "t5"),
        ],
    ),
    Say("Done."),
)


def test_it_asks_runs_tools_and_finishes(server: MessagesServer, root: Path) -> None:
    server.answer(*WORK)
    events: list[AgentProgress] = []
    outcome = run(server, root, listener=events.append)
    refused = Denial(
        "Write", {"file_path": "../b.md", "content": "x"}, "../b.md is outside of the directory that may be changed."
    )
    assert (outcome.ended, outcome.text, outcome.error) == (AgentEnd.FINISHED, "Done.", None)
    assert outcome.turns == (
        Turn(1, "Looking.", {"Read": 1, "Shell": 1}, usage=Usage(10, output=5)),
        Turn(2, "", {"Edit": 1, "Write": 2}, (f"{root}/a.md", f"{root}/c.md"), (refused,), Usage(10, output=5)),
        Turn(3, "Done.", {}, usage=Usage(10, output=5)),
    )
    assert outcome.usage == Usage(30, output=15)
    assert outcome.denials == (refused,)
    assert outcome.touched == (f"{root}/a.md", f"{root}/c.md")
    assert outcome.tools == {"Read": 1, "Shell": 1, "Edit": 1, "Write": 2}
    assert [type(entry) for entry in events] == [*[ToolStarted] * 2, Turn, *[ToolStarted] * 3, Turn, Turn]
    assert (root / "a.md").read_text() == "two\n"
    assert not (root.parent / "b.md").exists()


def test_the_model_gets_a_result_for_every_call_in_their_order(server: MessagesServer, root: Path) -> None:
    server.answer(*WORK)
    run(server, root)
    messages = server.requests[2].json["messages"]
    results = remove_marks(messages)[4]["content"]
    assert [(entry["tool_use_id"], entry.get("is_error", False)) for entry in results] == [
        ("t3", False),
        ("t4", True),
        ("t5", False),
    ]
    assert results[1]["content"].startswith("Not allowed: ")
    assert messages[3]["content"][0]["type"] == "thinking"
    assert [tool["name"] for tool in server.requests[0].json["tools"]] == [
        *("Read", "Grep", "Glob", "Shell", "Edit", "Write")
    ]


def test_each_request_extends_the_one_before_and_has_one_mark_at_its_end(server: MessagesServer, root: Path) -> None:
    server.answer(*WORK)
    run(server, root)
    sent = [request.json["messages"] for request in server.requests]
    for before, after in pairwise(sent):
        assert remove_marks(after)[: len(before)] == remove_marks(before)
    assert [[place[0] for place in mark_positions(messages)] for messages in sent] == [[0], [2], [4]]


def test_the_same_comes_out_every_time(server: MessagesServer, root: Path) -> None:
    server.answer(*WORK)
    first = run(server, root)
    (root / "a.md").write_text("one\n")
    (root / "c.md").unlink()
    server.answer(*WORK)
    bodies = [request.body for request in server.requests]
    server.requests.clear()
    assert run(server, root) == first
    assert [request.body for request in server.requests] == bodies


def test_a_fork_keeps_its_parents_tools_and_those_that_are_not_ours_are_denied(
    server: MessagesServer, root: Path
) -> None:
    parent = {"model": "claude-test", "tools": [{"name": "Bash"}, {"name": "Task"}], "messages": [ASK.messages[0]]}
    ask = fork(CacheSafeParams.of_request(parent), [{"role": "user", "content": "Go on."}])
    server.answer(Say(calls=[Call("Bash", {"command": "cat a.md"}), Call("Task", {"x": 1}, "t2")]), Say("Done."))
    outcome = run(server, root, ask)
    assert server.requests[0].json["tools"] == parent["tools"]
    assert [place[0] for place in mark_positions(server.requests[0].json["messages"])] == [0]
    assert [denial.tool for denial in outcome.denials] == ["Task"]
    assert remove_marks(server.requests[1].json["messages"])[-1]["content"][0]["content"] == "one"


def test_it_stops_after_so_many_turns_with_their_work_done(server: MessagesServer, root: Path) -> None:
    server.answer(*WORK)
    outcome = run(server, root, limits=AgentLimits(turns=2))
    assert (outcome.ended, len(outcome.turns), outcome.text) == (AgentEnd.TURN_LIMIT, 2, "Looking.")
    assert (root / "c.md").exists()
    assert len(server.requests) == 2


def test_it_stops_when_the_tokens_are_used(server: MessagesServer, root: Path) -> None:
    server.answer(*WORK)
    outcome = run(server, root, limits=AgentLimits(tokens=16))
    assert (outcome.ended, len(server.requests)) == (AgentEnd.TOKEN_LIMIT, 2)


def test_an_answer_that_was_cut_by_its_limit_is_said(server: MessagesServer, root: Path) -> None:
    server.answer(Say("Half a sen", stop_reason="max_tokens"))
    assert run(server, root).ended is AgentEnd.OUTPUT_LIMIT


def test_an_error_of_the_model_ends_it_and_keeps_what_was_done(server: MessagesServer, root: Path) -> None:
    server.answer(WORK[1], Fail(529))
    outcome = run(server, root)
    assert (outcome.ended, len(outcome.turns)) == (AgentEnd.FAILED, 1)
    assert "overloaded" in str(outcome.error)
    assert outcome.touched == (f"{root}/a.md", f"{root}/c.md")


def test_it_can_be_stopped_while_the_model_speaks(server: MessagesServer, root: Path) -> None:
    server.answer(WORK[0], Say("Slowly", pause=20))
    token = CancelToken(probe=lambda: len(server.requests) == 2)
    outcome = run(server, root, replace(ASK, cancel=token))
    assert (outcome.ended, len(outcome.turns)) == (AgentEnd.CANCELLED, 1)


def test_it_can_be_stopped_between_two_calls_and_knows_what_was_done(server: MessagesServer, root: Path) -> None:
    server.answer(WORK[1])
    token = CancelToken(probe=lambda: (root / "a.md").read_text() == "two\n")
    outcome = run(server, root, replace(ASK, cancel=token))
    assert (outcome.ended, outcome.touched) == (AgentEnd.CANCELLED, (f"{root}/a.md",))
    assert not (root / "c.md").exists()


def test_it_can_be_stopped_inside_a_call(server: MessagesServer, root: Path) -> None:
    os.mkfifo(root / "fifo")
    server.answer(Say(calls=[Call("Shell", {"command": "cat fifo"})]))
    began: list[float] = []
    token = CancelToken(probe=lambda: bool(began) and time.monotonic() - began[0] > 0.3)
    outcome = run(server, root, replace(ASK, cancel=token), listener=lambda _: began.append(time.monotonic()))
    assert outcome.ended is AgentEnd.CANCELLED
    assert time.monotonic() - began[0] < 5
