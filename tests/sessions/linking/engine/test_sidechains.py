from __future__ import annotations

from typing import Any

from sessions.linking.engine import InlineAgent
from sessions.transcripts.engine.flags import Flag
from tests.sessions.linking.engine.log import Log, marks

SIDE = Flag.SIDECHAIN


def task(log: Log, uuid: str, prompt: str, parent: str | None = None) -> int:
    block = {"type": "tool_use", "name": "Task", "input": {"prompt": prompt}}
    record: dict[str, Any] = {"message": {"content": [block]}}
    flags = Flag.CALL
    return log.add(
        "assistant",
        uuid,
        parent or log.last,
        message="m",
        tool=f"tool of {uuid}",
        detail="Task",
        flags=flags,
        record=record,
    )


def agent(log: Log, uuid: str, prompt: str) -> int:
    return log.add("user", uuid, None, flags=SIDE, record={"message": {"content": prompt}})


def test_inline_agents_are_found_and_matched_by_their_prompt() -> None:
    log = Log()
    log.prompt("p1")
    task(log, "c1", "count the lines")
    task(log, "c2", "find the callers")
    agent(log, "s1", "find the callers")
    log.add("assistant", "s2", flags=SIDE, message="ms")
    agent(log, "z1", "count the lines")
    log.add("assistant", "s3", "s2", flags=SIDE, message="ms2")
    log.result("r1", "tool of c1", "c1")
    log.result("r2", "tool of c2", "c2")
    log.answer("a1")

    linked = log.link()

    assert linked.leaf == 9
    assert linked.inline_agents == (
        InlineAgent(root=3, first=3, last=6, size=3, call=2),
        InlineAgent(root=5, first=5, last=5, size=1, call=1),
    )
    assert marks(linked) == [(3, 4, "sidechain", 2), (5, 5, "sidechain", 1), (6, 6, "sidechain", 2)]


def test_equal_prompts_are_matched_in_file_order() -> None:
    log = Log()
    log.prompt("p1")
    task(log, "c1", "go")
    task(log, "c2", "go")
    agent(log, "s1", "go")
    agent(log, "s2", " go\n")
    agent(log, "s3", "go")

    assert [inline_agent.call for inline_agent in log.link().inline_agents] == [1, 2, None]


def test_an_agent_that_nobody_called_has_no_call() -> None:
    log = Log()
    log.talk("p1", "a1")
    agent(log, "s1", "Warmup")
    log.add("assistant", "s2", flags=SIDE, message="ms")

    linked = log.link()

    assert [inline_agent.call for inline_agent in linked.inline_agents] == [None]
    assert marks(linked) == [(2, 3, "sidechain", None)]


def test_a_prompt_of_blocks_is_matched_too() -> None:
    log = Log()
    log.prompt("p1")
    task(log, "c1", "go")
    blocks = [{"type": "text", "text": "go"}]
    log.add("user", "s1", None, flags=SIDE, record={"message": {"content": blocks}})

    assert log.link().inline_agents[0].call == 1


def test_inline_agents_are_not_summarised_with_the_conversation() -> None:
    log = Log()
    log.talk("p1", "a1")
    agent(log, "s1", "Warmup")
    log.boundary("b", "a1")
    log.summary("s")

    assert marks(log.link()) == [(0, 1, "summarised", 3), (2, 2, "sidechain", None)]
