from __future__ import annotations

import pytest

from compaction.mechanisms.engine.microcompact.clearable import CLEARED, clearable_results, point_to, tool_of
from tests.sessions.transcripts.engine.talk import answered, call, returned, typed


def test_the_words_in_the_place_of_a_result_are_exactly_these() -> None:
    assert CLEARED == "[Old tool result content cleared]"


@pytest.mark.parametrize("name", ["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"])
def test_results_of_these_tools_can_be_cleared(name: str) -> None:
    assert tool_of(name) == name


@pytest.mark.parametrize(("alias", "tool"), [("MultiEdit", "Edit"), ("LS", "Glob"), ("PowerShell", "Bash")])
def test_other_names_of_these_tools_count_as_well(alias: str, tool: str) -> None:
    assert tool_of(alias) == tool


@pytest.mark.parametrize("name", ["mcp__files__Read", "AskUserQuestion", "TodoWrite", "ExitPlanMode", "Agent", ""])
def test_results_of_all_other_tools_cannot_be_cleared(name: str) -> None:
    assert tool_of(name) is None


def test_cleared_empty_and_orphaned_results_are_left_out() -> None:
    messages = [
        answered("", call("a"), call("b"), call("c"), call("d", "mcp__x__y", q="1"), id="1"),
        returned(("a", CLEARED), ("b", ""), ("c", "words"), ("d", "words"), ("e", "words")),
    ]
    assert [clearable.call.id for clearable in clearable_results(messages)] == ["c"]


def test_a_pointer_says_how_to_get_the_text_again() -> None:
    messages = [
        typed("go"),
        answered("", call("a", "Read", file_path="src/x.py"), call("b", "Bash", command="make"), id="1"),
        returned(("a", "text"), ("b", "text")),
    ]
    first, second = (point_to(messages, clearable) for clearable in clearable_results(messages))
    assert (first.uuid, first.tool_use_id, first.again) == (messages[2].uuid, "a", "Read src/x.py again.")
    assert second.again == "Run `make` again."


def test_a_pointer_to_an_endless_command_is_short() -> None:
    messages = [answered("", call("a", "Bash", command="x" * 9999)), returned(("a", "text"))]
    assert len(point_to(messages, next(clearable_results(messages))).again) < 330
