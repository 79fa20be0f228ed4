from __future__ import annotations

import pytest

from sessions.requests.engine.global_scope import global_scope_sentence, third_party
from tests.sessions.requests.engine.test_prompt_sections import EVERYBODY, HOUR, OPENING, block, sections, setup_of

CLIENT = "# System\nRules.\n# Environment\nHere.\n"
LOOKUP: dict[str, object] = {"name": "mcp__tides__lookup"}


def said(*blocks: dict[str, object], tools: tuple[dict[str, object], ...] = (), **more: object) -> str:
    setup = setup_of(*blocks, tools=tools)
    facts = {"message_id": "msg_01", "model": "claude-opus-4-6", "is_subagent": False, **more}
    return global_scope_sentence(setup, tuple(sections(setup).values()), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message_id", "model", "name"),
    [
        ("msg_bdrk_01", "claude-opus-4-6", "Amazon Bedrock"),
        ("msg_01", "us.anthropic.claude-opus-4-6-v1:0", "Amazon Bedrock"),
        ("msg_01", "arn:aws:bedrock:us-east-1:1:inference-profile/x", "Amazon Bedrock"),
        ("msg_vrtx_01", "claude-opus-4-6", "Google Vertex AI"),
        ("msg_01", "claude-opus-4-5@20251101", "Google Vertex AI"),
        ("msg_01", "claude-opus-4-6[1m]", ""),
    ],
)
def test_other_providers_are_known_by_their_answers_and_by_how_they_name_models(
    message_id: str, model: str, name: str
) -> None:
    assert third_party(message_id, model) == name


def test_each_reason_that_takes_the_global_scope_away_is_named() -> None:
    assert "tools of MCP servers, such as mcp__tides__lookup" in said(block(CLIENT, HOUR), tools=(LOOKUP,))
    assert "Amazon Bedrock answered" in said(block(CLIENT, HOUR), message_id="msg_bdrk_1")
    assert "a prompt of your own" in said(block("You are a bot.\n# Harbours\nOnly these.", HOUR))
    assert "a sub-agent has a prompt of its own" in said(block(CLIENT, HOUR), is_subagent=True)
    both = said(block(CLIENT, HOUR), tools=(LOOKUP,), message_id="msg_vrtx_1")
    assert "Google Vertex AI" in both
    assert "MCP" in both


def test_tools_that_are_loaded_on_demand_take_nothing_away() -> None:
    sentence = said(block(CLIENT, HOUR), tools=({**LOOKUP, "defer_loading": True},))
    assert sentence == "No part is marked as shared by everybody, and nothing in the request tells why."


def test_a_prompt_without_headings_is_not_called_your_own() -> None:
    assert "nothing in the request tells why" in said(block(OPENING, HOUR))


def test_a_part_that_everybody_shares_is_told_and_unknown_marks_say_nothing() -> None:
    assert said(block(CLIENT, EVERYBODY)).startswith("Everybody shares")
    setup = setup_of(block(CLIENT))
    unmarked = type(setup)(setup.system, setup.tools)
    facts = {"message_id": "", "model": "", "is_subagent": False}
    assert global_scope_sentence(unmarked, tuple(sections(setup).values()), **facts) == ""  # type: ignore[arg-type]
