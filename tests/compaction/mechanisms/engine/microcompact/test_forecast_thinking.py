from __future__ import annotations

from typing import Any

from compaction.mechanisms.engine.microcompact.api_edits import ClearThinkingConfig, clear_thinking
from compaction.mechanisms.engine.microcompact.cached import reference_results
from compaction.mechanisms.engine.microcompact.forecast_thinking import forecast_clear_thinking
from sessions.requests.engine.prompt_cache.cache_marks import mark_messages
from sessions.transcripts.engine.messages import Message, join_messages, read_messages


def thoughts(turns: int) -> list[Message]:
    array: list[dict[str, Any]] = []
    for number in range(turns):
        thinking = {"type": "thinking", "thinking": "well " * 50, "signature": f"s{number}"}
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "text"}
        array += [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": [thinking, call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": "so it is"}]},
        ]
    return read_messages(array)


def thinking_left(messages: list[Message]) -> int:
    return sum(block["type"] == "thinking" for message in messages for block in message.content)


def test_all_of_it_stays_while_the_session_is_active() -> None:
    messages = thoughts(3)
    outcome = forecast_clear_thinking(messages, clear_thinking(ClearThinkingConfig(), 60))
    assert outcome.messages is messages
    assert not outcome.report.applied


def test_after_a_pause_only_the_latest_turns_keep_theirs() -> None:
    item = forecast_clear_thinking(thoughts(3), clear_thinking(ClearThinkingConfig(), 4_000))
    assert thinking_left(list(item.messages)) == 1
    assert item.report.tokens_before - item.report.tokens_after > 100
    two = forecast_clear_thinking(thoughts(3), clear_thinking(ClearThinkingConfig(keep_after_idle=2), 4_000))
    assert thinking_left(list(two.messages)) == 2
    few = forecast_clear_thinking(thoughts(1), clear_thinking(ClearThinkingConfig(keep_after_idle=2), 4_000))
    assert not few.report.applied


def test_results_before_the_last_cache_mark_can_be_referred_to() -> None:
    array = mark_messages(join_messages(thoughts(2)))
    referenced = [
        block.get("cache_reference")
        for element in reference_results(array)
        for block in element["content"]
        if block["type"] == "tool_result"
    ]
    assert referenced == ["toolu_0", "toolu_1"]
    unmarked = [{**element, "content": [dict(block) for block in element["content"]]} for element in array[:-1]]
    assert not any("cache_reference" in str(element) for element in reference_results(unmarked))
