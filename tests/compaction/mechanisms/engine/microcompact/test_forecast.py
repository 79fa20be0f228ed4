from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compaction.mechanisms.engine.microcompact.api_edits import ClearToolUsesConfig, clear_tool_uses
from compaction.mechanisms.engine.microcompact.clearable import CLEARED
from compaction.mechanisms.engine.microcompact.forecast import forecast_clear_tool_uses
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, call, content, loop, pairs, returned, same_objects, typed

FULL = clear_tool_uses(ClearToolUsesConfig())


def test_below_the_trigger_nothing_is_cleared() -> None:
    messages = loop(9, 60_000)
    assert forecast_clear_tool_uses(messages, FULL, input_tokens=180_000).messages is messages


def test_beyond_it_all_but_the_latest_three_are() -> None:
    outcome = forecast_clear_tool_uses(loop(11, 60_000), FULL)
    assert outcome.report.applied
    assert content(outcome.messages, "toolu_07") == CLEARED
    assert content(outcome.messages, "toolu_08") == "8" * 60_000
    assert outcome.report.tokens_after == estimate(outcome.messages)


def test_too_little_to_clear_is_left_alone() -> None:
    messages = loop(9, 3_000)
    outcome = forecast_clear_tool_uses(messages, FULL, input_tokens=190_000)
    assert outcome.messages is messages
    assert "140,000 that it takes" in outcome.report.why


def test_writers_lose_their_inputs_too() -> None:
    edit = {"type": "clear_tool_uses_20250919", "clear_tool_inputs": ["Write"], "keep": {"value": 0}}
    messages = [
        typed("write"),
        answered("", call("a", "Write", file_path="x", content="y" * 900), call("b", "Bash", command="ls"), id="1"),
        returned(("a", "ok"), ("b", "x" * 900)),
    ]
    outcome = forecast_clear_tool_uses(messages, edit, input_tokens=100_001)
    assert [block["input"] for block in outcome.messages[1].content] == [{}, {"command": "ls"}]


def test_uses_can_be_the_trigger_and_tools_can_be_excluded() -> None:
    edit = {"trigger": {"type": "tool_uses", "value": 4}, "keep": {"value": 1}, "exclude_tools": ["Read"]}
    messages = [*loop(2), *loop(3, tool="Bash", prefix="bash")]
    outcome = forecast_clear_tool_uses(messages, edit)
    assert [change.tool_use_id for change in outcome.report.changes] == ["bash_00", "bash_01"]


@given(conversations(), st.integers(0, 4), st.booleans())
def test_the_forecast_keeps_pairs_and_counts_tokens_in_any_conversation(
    messages: list[Message], keep: int, inputs: bool
) -> None:
    edit = {"keep": {"value": keep}, "clear_tool_inputs": inputs}
    outcome = forecast_clear_tool_uses(messages, edit, input_tokens=200_000)
    assert pairs(outcome.messages) == pairs(messages)
    assert same_objects(messages, outcome.messages, {change.uuid for change in outcome.report.changes})
    assert outcome.report.tokens_after == estimate(outcome.messages)
