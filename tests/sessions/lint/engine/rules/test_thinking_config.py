from __future__ import annotations

from typing import Any

import pytest

from tests.sessions.lint.engine.bodies import NEW, OLD, body, lint, only, user

MIDDLE = "claude-opus-4-6"


def request(config: Any, **more: Any) -> dict[str, Any]:
    return body(user("go"), **{"max_tokens": 4000, "thinking": config, **more})


@pytest.mark.parametrize(
    ("model", "kind"),
    [(NEW, "adaptive"), (MIDDLE, "adaptive"), (MIDDLE, "enabled"), (OLD, "enabled"), (NEW, "disabled")],
)
def test_models_take_their_kinds_of_thinking(model: str, kind: str) -> None:
    assert lint(request({"type": kind, "budget_tokens": 2000}), model) == []


@pytest.mark.parametrize(("model", "kind"), [(NEW, "enabled"), (OLD, "adaptive"), (MIDDLE, "between_tools")])
def test_models_refuse_other_kinds_of_thinking(model: str, kind: str) -> None:
    finding = only(request({"type": kind, "budget_tokens": 2000}), model)
    assert (finding.rule, finding.path) == ("thinking-config", "thinking.type")
    assert f"thinking.type.{kind}" in finding.api_error


@pytest.mark.parametrize(
    ("budget", "error"),
    [
        (None, "Field required"),
        (1023, "greater than or equal to 1024"),
        (4000, "`max_tokens` must be greater than `thinking.budget_tokens`."),
    ],
)
def test_a_budget_has_limits(budget: Any, error: str) -> None:
    finding = only(request({"type": "enabled", "budget_tokens": budget}), OLD)
    assert finding.path == "thinking.budget_tokens"
    assert error in finding.api_error


def test_thinking_between_calls_may_exceed_one_answer() -> None:
    betas = ["interleaved-thinking-2025-05-14"]
    assert lint(request({"type": "enabled", "budget_tokens": 9000}, betas=betas), OLD) == []


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "Read"}])
def test_a_thinking_model_cannot_be_forced_to_call(choice: Any) -> None:
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    finding = only(request({"type": "adaptive"}, tools=tools, tool_choice=choice), NEW)
    assert (finding.path, finding.api_error) == (
        "tool_choice",
        "Thinking may not be enabled when tool_choice forces tool use.",
    )
