from __future__ import annotations

from typing import Any

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.request_log import element_of
from sessions.requests.engine.mark_places import mark_places
from sessions.requests.engine.sent_marks import marks_of

MARK = {"type": "ephemeral"}
SYSTEM = ({"type": "text", "text": "You watch tides."}, {"type": "text", "text": "Never guess."})
TOOLS = ({"name": "Bash"}, {"name": "Read"}, {"name": "Grep", "defer_loading": True})
TALK = [("user", "How high?"), ("assistant", "4 m."), ("user", "And tomorrow?")]


def places(*paths: list[Any], talk: list[tuple[str, str]] = TALK) -> dict[str, str]:
    setup = RequestSetup(SYSTEM, TOOLS, marks=tuple({"path": path, "value": MARK} for path in paths))
    elements = tuple(
        element_of({"role": role, "content": [{"type": "text", "text": words}]}, {}) for role, words in talk
    )
    return {place.mark.path: place.sentence for place in mark_places(setup, elements, marks_of(setup, elements))}


def test_marks_come_in_the_order_of_the_prompt() -> None:
    marked = places(["messages", 2, "content", 0], ["system", 1], ["tools", 1])
    assert list(marked) == ["tools[1]", "system[1]", "messages[2].content[0]"]


def test_a_mark_on_the_last_message_is_for_the_next_request() -> None:
    assert places(["messages", 2, "content", 0])["messages[2].content[0]"].startswith("On the last message")


def test_a_mark_on_the_message_before_is_that_of_a_fork() -> None:
    assert "as a fork does" in places(["messages", 1, "content", 0])["messages[1].content[0]"]


def test_a_second_mark_among_the_messages_is_no_fork() -> None:
    marked = places(["messages", 1, "content", 0], ["messages", 2, "content", 0])
    assert marked["messages[1].content[0]"].startswith("In the middle of the messages")


def test_the_last_tool_that_is_always_there_is_told_from_the_others() -> None:
    assert places(["tools", 1])["tools[1]"].startswith("Behind the last tool that is always there")
    assert places(["tools", 0])["tools[0]"].startswith("In the middle")


def test_the_end_of_the_system_prompt_is_told_from_its_blocks() -> None:
    marked = places(["system", 0], ["system", 1])
    assert marked["system[0]"].startswith("In the middle of the system prompt")
    assert marked["system[1]"].startswith("At the end of the system prompt")
