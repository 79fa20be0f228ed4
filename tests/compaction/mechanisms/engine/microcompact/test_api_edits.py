from __future__ import annotations

from typing import get_args

import pytest
from anthropic.types import AnthropicBetaParam

from compaction.mechanisms.engine.microcompact.api_edits import (
    CLEARING_BETA,
    COMPACTING_BETA,
    ON_DEMAND_BETA,
    ApiEditsConfig,
    ClearThinkingConfig,
    ClearToolUsesConfig,
    CompactEditConfig,
    context_management,
    required_betas,
)

OFF = ApiEditsConfig(ClearToolUsesConfig(enabled=False), ClearThinkingConfig(enabled=False))


def test_thinking_is_listed_first() -> None:
    assert context_management() == {
        "edits": [
            {"type": "clear_thinking_20251015", "keep": "all"},
            {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "input_tokens", "value": 180_000},
                "clear_at_least": {"type": "input_tokens", "value": 140_000},
                "clear_tool_inputs": ["Edit", "Write"],
            },
        ]
    }


def test_after_an_hour_only_the_last_thinking_turn_stays() -> None:
    management = context_management(idle=3601)
    assert management is not None
    assert management["edits"][0]["keep"] == {"type": "thinking_turns", "value": 1}
    still = context_management(idle=3600)
    assert still is not None
    assert still["edits"][0]["keep"] == "all"


def test_a_model_that_does_not_think_is_not_asked_to_clear_it() -> None:
    management = context_management(thinking=False)
    assert management is not None
    assert [edit["type"] for edit in management["edits"]] == ["clear_tool_uses_20250919"]


def test_tools_that_are_never_cleared_are_excluded_and_writers_lose_their_inputs() -> None:
    management = context_management(tools=["Read", "Bash", "MultiEdit", "Agent", "mcp__a__b"])
    assert management is not None
    assert management["edits"][1]["exclude_tools"] == ["Agent", "mcp__a__b"]
    assert management["edits"][1]["clear_tool_inputs"] == ["MultiEdit"]


def test_the_number_of_tool_uses_to_keep_can_be_set() -> None:
    management = context_management(ApiEditsConfig(ClearToolUsesConfig(keep=7)))
    assert management is not None
    assert management["edits"][1]["keep"] == {"type": "tool_uses", "value": 7}


def test_the_compaction_is_the_last_edit_that_is_asked_for() -> None:
    compact = CompactEditConfig(enabled=True, pause_after_compaction=True, instructions="Keep the names.")
    management = context_management(ApiEditsConfig(compact=compact))
    assert management is not None
    assert management["edits"][-1] == {
        "type": "compact_20260112",
        "trigger": {"type": "input_tokens", "value": 150_000},
        "pause_after_compaction": True,
        "instructions": "Keep the names.",
    }


def test_the_api_does_not_compact_below_fifty_thousand() -> None:
    with pytest.raises(ValueError, match="50,000"):
        CompactEditConfig(starts_at=49_999)


def test_nothing_is_asked_for_when_all_is_off() -> None:
    assert context_management(OFF) is None


def test_each_kind_of_edit_names_its_beta() -> None:
    both = ApiEditsConfig(compact=CompactEditConfig(enabled=True))
    assert required_betas(context_management(both)) == ("compact-2026-01-12", "context-management-2025-06-27")
    assert required_betas(context_management()) == ("context-management-2025-06-27",)
    assert required_betas(None) == ()
    assert required_betas(None, on_demand=True) == ("compact-2026-09-04",)


def test_the_sdk_knows_these_betas() -> None:
    sdk_betas = get_args(get_args(AnthropicBetaParam)[1])
    assert {CLEARING_BETA, COMPACTING_BETA, ON_DEMAND_BETA} <= set(sdk_betas)
