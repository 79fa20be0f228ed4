"""What a sub-agent is told that its own file does not hold."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine import Context, Log, contexts
from tests.sessions.context.engine.context_helpers import call, texts, thought
from tests.sessions.context.engine.version_rows import TAKES_NONE, TAKES_SYSTEM, note
from tests.sessions.writing import Writing

LINES = [
    "- general-purpose: does anything. (Tools: *)",
    "- Plan: plans. (Tools: All tools except Agent, Edit)",
    "- diver: dives. (Tools: Read, Bash)",
    "- pilot: pilots. (Tools: Agent, Read)",
    "- tidal: asks. (Tools: Read, mcp__tide__tide)",
]
AGENTS = "\n".join(["Available agent types for the Agent tool:", *LINES])


def main(version: str) -> Writing:
    writing = Writing()
    writing.user("Look", version=version)
    note(writing, version, "agent_listing_delta", addedLines=LINES, isInitial=True)
    note(writing, version, "mcp_instructions_delta", addedBlocks=["## tide\nWith care."], removedNames=[])
    writing.assistant(call("t0", "Agent"), message="m0", version=version, model=TAKES_SYSTEM)
    return writing


def last_of(kind: str, version: str, model: str = TAKES_SYSTEM) -> Context:
    parent = main(version)
    agent = Writing(clock=parent.clock)
    values: dict[str, Any] = {"version": version, "isSidechain": True, "agentId": "a1"}
    if not kind:
        values["attributionSkill"] = "soundings"
    agent.user("Find the gauge", **values)
    agent.assistant(call("t1"), message="m1", attributionAgent=kind, model=model, **values)
    agent.result("t1", "one", **values)
    agent.assistant(call("t2"), message="m2", attributionAgent=kind, model=model, **values)
    agent.result("t2", "two", **values)
    agent.assistant("Found.", message="m3", attributionAgent=kind, model=model, **values)
    session = Log(b"".join(parent.lines()))
    return list(contexts(Log(b"".join(agent.lines()), agent=True, main=session)))[-1]


def words(context: Context) -> str:
    return "\n".join(words for role, some in texts(context) for words in some if role == "system")


@pytest.mark.parametrize(
    ("kind", "agents", "servers"),
    [
        ("general-purpose", True, True),
        ("", True, True),
        ("Plan", False, True),
        ("diver", False, False),
        ("pilot", True, False),
        ("tidal", False, True),
        ("unheard-of", False, False),
    ],
)
def test_a_sub_agent_is_told_of_what_its_tools_can_reach(kind: str, agents: bool, servers: bool) -> None:
    output = words(last_of(kind, "2.1.197"))
    assert (AGENTS in output) is agents
    assert ("With care." in output) is servers


def test_it_is_told_once_with_its_first_results() -> None:
    context = last_of("general-purpose", "2.1.197")
    assert [element.role for element in context.elements] == [
        "user",
        "assistant",
        "user",
        "system",
        "assistant",
        "user",
    ]


def test_a_model_that_does_not_take_the_role_is_told_in_the_result() -> None:
    context = last_of("Plan", "2.1.197", TAKES_NONE)
    (result,) = texts(context)[2][1]
    assert result.startswith("result t1: one\n\n<system-reminder>\n# MCP Server Instructions")


@pytest.mark.parametrize("version", ["2.1.90", "2.1.325"])
def test_other_versions_tell_it_in_records_or_not_at_all(version: str) -> None:
    assert not words(last_of("general-purpose", version))


@pytest.mark.parametrize(("kind", "is_reminded"), [("general-purpose", True), ("diver", False)])
def test_it_is_reminded_of_tasks_after_ten_records_of_answers(kind: str, is_reminded: bool) -> None:
    version, parent = "2.1.197", main("2.1.197")
    agent = Writing(clock=parent.clock)
    agent.user("Find the gauge", version=version)
    for number in range(12):
        agent.assistant(thought(), message=f"m{number}", version=version, attributionAgent=kind, model=TAKES_SYSTEM)
        agent.assistant(call(f"t{number}"), message=f"m{number}", version=version, model=TAKES_SYSTEM)
        agent.result(f"t{number}", "one", version=version)
    session = Log(b"".join(parent.lines()))
    agent_contexts = list(contexts(Log(b"".join(agent.lines()), agent=True, main=session)))
    reminded = ["task tools haven't been used" in words(context) for context in agent_contexts]
    assert reminded == [False] * 10 + [is_reminded] * 2
