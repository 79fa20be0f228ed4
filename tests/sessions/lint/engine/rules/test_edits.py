from __future__ import annotations

from typing import Any

import pytest

from tests.sessions.lint.engine.bodies import body, lint, only, user

THINKING = {"type": "clear_thinking_20251015"}
TOOLS = {"type": "clear_tool_uses_20250919"}


def asking(*edits: Any) -> dict[str, Any]:
    return body(user("go"), context_management={"edits": list(edits)})


def compacting(tokens: int) -> dict[str, Any]:
    return {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": tokens}}


def test_thinking_is_cleared_first() -> None:
    assert lint(asking(THINKING, TOOLS)) == []
    assert only(asking(TOOLS, THINKING)).path == "context_management.edits[1]"


def test_the_api_compacts_from_fifty_thousand_tokens_on() -> None:
    assert lint(asking(compacting(50_000), {"type": "compact_20260112"})) == []
    assert only(asking(compacting(49_999))).path == "context_management.edits[0].trigger"


def test_compaction_at_once_goes_without_edits() -> None:
    at_once = {"type": "summarize"}
    assert lint(body(user("go"), compaction=at_once)) == []
    assert lint({**asking(THINKING), "compaction": None}) == []
    assert only({**asking(THINKING), "compaction": at_once}).path == "compaction"


@pytest.mark.parametrize("edits", [None, "x", [3], [{"type": []}]])
def test_what_is_no_list_of_edits_is_left_alone(edits: Any) -> None:
    assert lint(body(user("go"), context_management={"edits": edits})) == []
