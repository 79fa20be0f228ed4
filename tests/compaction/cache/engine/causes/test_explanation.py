from __future__ import annotations

from dataclasses import replace

import pytest

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.causes.evidence import Answer, CacheEvent
from tests.compaction.cache.engine.request_bodies import (
    HEAD,
    HEADER,
    SONNET,
    SYSTEM,
    TOOLS,
    SentRequest,
    also,
    broken,
    conversation,
    later,
    names,
    tool,
)


def test_a_tool_that_was_added_is_the_cause_with_its_name_and_size() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request, tools=(*TOOLS, tool("mcp__tides__lookup"))), read=0)

    assert names(cache_break) == ["tools_changed"]
    assert "1 added (mcp__tides__lookup)" in cache_break.causes[0].sentence
    assert cache_break.causes[0].size["added"] == 1
    assert cache_break.causes[0].size["chars"] > 600
    assert cache_break.divergence is not None
    assert (cache_break.divergence.part, cache_break.divergence.path) == ("tools", "tools[4]")
    assert not cache_break.expected
    assert cache_break.causes[0].confidence == "high"


def test_a_tool_whose_definition_changed_is_located_to_the_byte() -> None:
    request = SentRequest()
    rewritten = tool("Edit", "Does something else. " * 40)
    cache_break = broken(request, later(request, tools=(TOOLS[0], rewritten, *TOOLS[2:])), read=0)

    assert names(cache_break) == ["tools_changed"]
    assert "1 definition rewritten (Edit +" in cache_break.causes[0].sentence
    assert cache_break.divergence is not None
    assert cache_break.divergence.path == "tools[1]"
    assert cache_break.divergence.offset == len('{"description":"Does something')


def test_tools_in_another_order_are_a_change() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request, tools=TOOLS[::-1]), read=0)
    assert names(cache_break) == ["tools_changed"]
    assert "another order" in cache_break.causes[0].sentence


def test_tools_that_are_loaded_on_demand_are_no_cause() -> None:
    request = SentRequest()
    more = tool("mcp__tides__lookup", defer_loading=True)
    cache_break = broken(request, later(request, tools=(more, *TOOLS), shape="other"), read=HEAD)
    assert names(cache_break) == ["likely_server_side"]
    assert also(cache_break) == ["deferred_tools_changed"]


def test_a_changed_system_prompt_is_the_cause_to_the_byte() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request, system=(SYSTEM[0], f"Ünder water. {SYSTEM[1]}")), read=600)

    assert names(cache_break) == ["system_prompt_changed"]
    assert cache_break.divergence is not None
    assert cache_break.divergence.path == "system[1]"
    assert cache_break.divergence.offset == 0
    assert cache_break.causes[0].size == {"added": 13, "removed": 0, "blocks": 0, "chars": 13}
    assert "+13/-0 chars, first in block 2" in cache_break.causes[0].sentence


def test_the_byte_is_counted_in_utf_8() -> None:
    request = SentRequest(system=(SYSTEM[0], f"Ünder {SYSTEM[1]}"))
    cache_break = broken(request, later(request, system=(SYSTEM[0], f"Über {SYSTEM[1]}")), read=600)
    assert cache_break.divergence is not None
    assert cache_break.divergence.offset == len("Ü".encode())


def test_a_billing_header_that_changes_is_not_compared() -> None:
    request = SentRequest(system=(HEADER.format("a1"), *SYSTEM))
    cache_break = broken(request, later(request, system=(HEADER.format("b22"), *SYSTEM)), read=0)
    assert names(cache_break) == ["likely_server_side"]
    assert also(cache_break) == []


def test_a_header_before_the_system_prompt_moves_no_mark() -> None:
    """A capture has it, the client's log has not."""
    request = SentRequest()
    cache_break = broken(request, later(request, system=(HEADER.format("a1"), *SYSTEM)), read=0)
    assert names(cache_break) == ["likely_server_side"]
    assert also(cache_break) == []


def test_a_print_that_changed_without_the_text_is_the_system_prompt_if_tools_were_read() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request, shape="other"), read=600)
    assert names(cache_break) == ["system_prompt_changed"]
    assert cache_break.causes[0].confidence == "medium"


def test_a_print_that_changed_without_the_text_is_the_tools_if_nothing_was_read() -> None:
    request = SentRequest()
    assert names(broken(request, later(request, shape="other"), read=0)) == ["tools_changed"]


def test_another_model_outranks_everything_else() -> None:
    request = SentRequest(params={"betas": ["a", "b"]})
    other = later(request, model=SONNET, tools=TOOLS[1:], params={"betas": ["a"]}, system=("Other.",))
    cache_break = broken(request, other, read=0)
    assert names(cache_break) == ["model_changed"]
    assert set(also(cache_break)) == {
        "tools_changed",
        "system_prompt_changed",
        "betas_changed",
        "cache_control_changed",
    }


def test_a_model_that_is_only_named_otherwise_is_the_same() -> None:
    request = SentRequest(model="claude-opus-5-5-20260801")
    assert names(broken(request, later(request, model="us.anthropic.claude-opus-5-5"), read=0)) == [
        "likely_server_side"
    ]


def test_only_the_earliest_change_is_the_cause() -> None:
    request = SentRequest()
    messages = [*conversation(3), *conversation(38, "Other words {}. ")]
    cache_break = broken(request, replace(later(request), tools=TOOLS[1:], messages=messages), read=0)
    assert names(cache_break) == ["tools_changed"]
    assert also(cache_break) == ["messages_rewritten"]


def test_a_change_that_what_was_read_reaches_beyond_had_no_effect() -> None:
    request = SentRequest()
    messages = [*request.messages[:30], *conversation(11, "Other words {}. ")]
    cache_break = broken(request, replace(later(request), tools=TOOLS[1:], messages=messages), read=7_000)
    assert names(cache_break) == ["messages_rewritten"]
    assert also(cache_break) == ["tools_changed"]


def test_a_message_that_was_rewritten_is_located_to_the_block_and_the_byte() -> None:
    request = SentRequest()
    messages = list(later(request).messages)
    messages[4] = {
        "role": "user",
        "content": [{"type": "text", "text": messages[4]["content"][0]["text"][:-3] + "ow."}],
    }
    cache_break = broken(request, replace(later(request), messages=messages), read=HEAD)

    assert names(cache_break) == ["messages_rewritten"]
    assert cache_break.divergence is not None
    assert (cache_break.divergence.path, cache_break.divergence.offset) == (
        "messages[4].content[0]",
        len("The tide at harbour 4 is high. ") * 30 - 3,
    )
    assert (cache_break.divergence.old.position, cache_break.divergence.new.position) == (14, 14)
    assert cache_break.causes[0].positions == (14,)


def test_a_rewritten_message_does_not_explain_that_the_system_prompt_was_lost_too() -> None:
    request = SentRequest()
    messages = [*request.messages[:30], *conversation(13, "Other words {}. ")]
    cache_break = broken(request, replace(later(request), messages=messages, places={}), read=0)
    assert names(cache_break) == ["unknown"]
    assert also(cache_break) == ["messages_rewritten"]


@pytest.mark.parametrize(
    ("params", "cause"),
    [
        ({"output_config": {"effort": "high"}}, "effort_changed"),
        ({"thinking": {"type": "disabled"}}, "thinking_changed"),
        ({"tool_choice": {"type": "any"}}, "tool_choice_changed"),
        ({"speed": "fast"}, "speed_changed"),
        ({"betas": ["one", "two"]}, "betas_changed"),
        ({"context_management": {"edits": []}}, "context_management_changed"),
    ],
)
def test_a_setting_that_changed_is_the_cause(params: dict[str, object], cause: str) -> None:
    usual = {"output_config": {"effort": "medium"}, "thinking": {"type": "adaptive"}, "betas": ["one"]}
    request = SentRequest(params=usual)
    assert names(broken(request, later(request, params={**usual, **params}), read=HEAD)) == [cause]


def test_betas_in_another_order_are_the_same() -> None:
    request = SentRequest(params={"betas": ["one", "two"]})
    cache_break = broken(request, later(request, params={"betas": ["two", "one"]}), read=HEAD)
    assert names(cache_break) == ["likely_server_side"]
    assert also(cache_break) == []


def test_the_output_limit_is_no_part_of_the_key() -> None:
    request = SentRequest(params={"max_tokens": 1})
    cache_break = broken(request, later(request, params={"max_tokens": 2}), read=HEAD)
    assert (names(cache_break), also(cache_break)) == (["likely_server_side"], ["parameters_changed"])


def test_a_mark_that_changed_its_lifetime_is_the_cause() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request, mark={"type": "ephemeral", "ttl": "1h"}), read=0)
    assert names(cache_break) == ["cache_control_changed"]
    assert "from 5m to 1h" in cache_break.causes[0].sentence


def test_effort_is_taken_from_the_answer_where_the_request_is_not_recorded() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    answers = Answer(effort="medium"), Answer(effort="high")
    assert names(broken(request, later(request), read=HEAD, answers=answers)) == ["effort_changed"]


def test_a_pause_longer_than_five_minutes_is_the_cause() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request), read=0, gap=6)
    assert names(cache_break) == ["ttl_expired_5m"]
    assert cache_break.causes[0].confidence == "high"
    assert "6m 0s had passed" in cache_break.causes[0].sentence


def test_a_pause_of_five_minutes_is_no_cause() -> None:
    request = SentRequest()
    assert names(broken(request, later(request), read=0, gap=5)) == ["likely_server_side"]


def test_marks_of_an_hour_live_an_hour() -> None:
    request = SentRequest(mark={"type": "ephemeral", "ttl": "1h"})
    assert names(broken(request, later(request), read=0, gap=59)) == ["likely_server_side"]
    assert names(broken(request, later(request), read=0, gap=61)) == ["ttl_expired_1h"]


def test_without_marks_the_usage_tells_how_long_the_cache_lives() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    assert names(broken(request, later(request), read=0, gap=59, hour=True)) == ["unknown"]
    assert names(broken(request, later(request), read=0, gap=61, hour=True)) == ["ttl_expired_1h"]
    assert names(broken(request, later(request), read=0, gap=61)) == ["ttl_expired_5m"]


def test_a_change_and_a_pause_are_both_told() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request, tools=TOOLS[1:]), read=0, gap=6)
    assert names(cache_break) == ["tools_changed", "ttl_expired_5m"]
    assert [cause.confidence for cause in cache_break.causes] == ["high", "medium"]


def test_a_pause_explains_a_lost_system_prompt_and_a_rewritten_message_is_named_too() -> None:
    request = SentRequest()
    messages = [*request.messages[:30], *conversation(13, "Other words {}. ")]
    cache_break = broken(request, replace(later(request), messages=messages), read=0, gap=6)
    assert (names(cache_break), also(cache_break)) == (["ttl_expired_5m", "messages_rewritten"], [])


def test_the_same_request_within_its_lifetime_is_the_servers_doing() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request), read=0)
    assert names(cache_break) == ["likely_server_side"]
    assert not cache_break.expected
    assert cache_break.exactness == "recorded"
    assert cache_break.missing == ()


def test_what_is_not_recorded_leaves_the_cause_unknown_and_is_named() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    cache_break = broken(request, later(request), read=0)
    assert names(cache_break) == ["unknown"]
    assert cache_break.exactness == "reconstructed"
    assert any("System prompt and tools" in reason for reason in cache_break.missing)


def test_messages_made_from_the_transcript_make_a_cause_less_sure() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    messages = list(later(request).messages)
    messages[4] = conversation(1, "Else {}. ")[0]
    cache_break = broken(request, replace(later(request), messages=messages), read=5_000)
    assert [(cause.name, cause.confidence) for cause in cache_break.causes] == [(CauseName.MESSAGES, "medium")]


def test_a_prompt_that_shrank_while_the_transcript_grew_lacks_something() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    cache_break = broken(request, later(request), read=6_000, was=60_000)
    assert names(cache_break) == ["messages_rewritten"]
    assert "without writing that down" in cache_break.causes[0].sentence


def test_a_prompt_that_fell_while_the_transcript_grew_was_rewritten_but_may_lack_tools_as_well() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    cache_break = broken(request, later(request), read=3_000, was=60_000)
    assert names(cache_break) == ["messages_rewritten"]
    assert [cause.confidence for cause in cache_break.causes] == ["low"]


def test_a_restart_is_the_likely_cause_of_a_drop_that_no_record_explains() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    second = replace(later(request), restarted=105)
    assert names(broken(request, second, read=0)) == ["system_prompt_changed"]
    assert names(broken(request, second, read=HEAD)) == ["messages_rewritten", "system_prompt_changed"]
    assert names(broken(request, replace(second, restarted=50), read=0)) == ["unknown"]


def test_twenty_blocks_at_once_hide_what_was_cached_and_that_is_expected() -> None:
    request = SentRequest()
    blocks = [{"type": "text", "text": f"Harbour {index}."} for index in range(20)]
    cache_break = broken(request, later(request, {"role": "assistant", "content": blocks}), read=HEAD)
    assert names(cache_break) == ["lookback_exceeded"]
    assert cache_break.expected
    assert cache_break.waste.tokens == 10_000 - HEAD
    assert cache_break.waste.cost is not None
    assert cache_break.waste.cost > 0


def test_nineteen_blocks_hide_nothing_that_was_cached() -> None:
    request = SentRequest()
    blocks = [{"type": "text", "text": f"Harbour {index}."} for index in range(19)]
    cache_break = broken(request, later(request, {"role": "assistant", "content": blocks}), read=HEAD)
    assert names(cache_break) == ["likely_server_side"]


def test_hints_in_between_are_told_and_are_no_cause() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    events = [CacheEvent("mcp_instructions_delta", 104)]
    cache_break = broken(
        request, later(request), read=0, events=events, answers=(Answer(version="1"), Answer(version="2"))
    )
    assert names(cache_break) == ["unknown"]
    assert also(cache_break) == ["mcp_instructions_delta", "version_changed"]


def test_every_cause_has_an_advice() -> None:
    request = SentRequest()
    assert broken(request, later(request), read=0).advice


def test_a_message_that_the_client_prints_otherwise_was_rewritten_even_if_its_kept_text_is_the_same() -> None:
    prints = tuple(f"hash {index}" for index in range(41))
    request = SentRequest(prints=prints)
    cache_break = broken(request, later(request, prints=(*prints[:7], "other", *prints[8:], "new", "newer")), read=HEAD)
    assert names(cache_break) == ["messages_rewritten"]
    assert "hash of message 8 of 41" in cache_break.causes[0].sentence
    assert cache_break.divergence is not None
    assert cache_break.divergence.path == "messages[7]"


def test_messages_that_the_client_prints_alike_were_not_rewritten_whatever_is_kept_of_them() -> None:
    prints = tuple(f"hash {index}" for index in range(41))
    request = SentRequest(prints=prints)
    messages = list(later(request).messages)
    messages[4] = conversation(1, "Blanked {}. ")[0]
    cache_break = broken(
        request, replace(later(request, prints=(*prints, "new", "newer")), messages=messages), read=HEAD
    )
    assert names(cache_break) == ["likely_server_side"]
