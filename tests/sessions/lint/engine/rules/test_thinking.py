from __future__ import annotations

from typing import Any

import pytest

from sessions.lint.engine import Severity
from tests.sessions.lint.engine.bodies import NEW, OLD, assistant, body, call, lint, only, places, result, thought, user

BUDGET = {"type": "enabled", "budget_tokens": 1024}
MIDDLE = "claude-opus-4-6"


def thinking(*messages: Any, **config: Any) -> dict[str, Any]:
    return body(*messages, max_tokens=4000, thinking=config or BUDGET)


def test_thinking_needs_its_signature() -> None:
    unsigned = {"type": "thinking", "thinking": "hm"}
    finding = only(body(user("go"), assistant(unsigned, "ok"), user("and?")))
    assert finding.rule == "unsigned-thinking"
    assert finding.api_error == "messages.1.content.0.thinking.signature: Field required"


@pytest.mark.parametrize("block", [thought(signature=""), {"type": "redacted_thinking", "data": ""}])
def test_an_empty_signature_is_none(block: Any) -> None:
    assert places(body(user("go"), assistant(block, "ok"), user("and?"))) == [
        ("unsigned-thinking", "messages[1].content[0]")
    ]


def test_thinking_whose_words_are_not_shown_is_fine() -> None:
    assert lint(body(user("go"), assistant(thought(""), "ok"), user("and?"))) == []


def test_an_answer_cannot_end_with_thinking() -> None:
    finding = only(body(user("go"), assistant("ok", thought()), user("and?")))
    assert (finding.rule, finding.path) == ("thinking-last", "messages[1].content[1]")
    assert "The final block in an assistant message cannot be `thinking`" in finding.api_error


def test_with_a_budget_the_latest_turn_begins_with_thinking() -> None:
    finding = only(thinking(user("go"), assistant("ok", call("a")), user(result("a"))), MIDDLE)
    assert (finding.rule, finding.path) == ("thinking-first", "messages[1].content[0]")
    assert finding.api_error.startswith(
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`."
    )


def test_only_the_first_answer_of_a_turn_has_to() -> None:
    loop = (assistant(thought(), call("a")), user(result("a")), assistant(call("b")), user(result("b")))
    assert lint(thinking(user("go"), *loop), MIDDLE) == []


def test_thinking_that_was_moved_back_is_not_first() -> None:
    request = thinking(user("go"), assistant(call("a"), thought(), "ok"), user(result("a")))
    assert only(request, MIDDLE).rule == "thinking-first"


def test_earlier_turns_may_lack_it() -> None:
    request = thinking(user("go"), assistant(call("a")), user(result("a")), assistant("done"), user("and?"))
    assert lint(request, MIDDLE) == []


def test_a_model_that_decides_for_itself_need_not_have_thought() -> None:
    request = thinking(user("go"), assistant(call("a")), user(result("a")), type="adaptive")
    assert lint(request, MIDDLE) == []


def test_without_thinking_the_begun_answer_contains_none() -> None:
    finding = only(thinking(user("go"), assistant(thought(), "The answer"), type="disabled"), OLD)
    assert finding.rule == "thinking-disabled"
    assert "When thinking is disabled" in finding.api_error


def test_older_models_forget_the_thinking_of_earlier_turns() -> None:
    request = body(user("go"), assistant(thought(), "ok"), user("and?"))
    finding = only(request, OLD)
    assert (finding.rule, finding.severity) == ("forgotten-thinking", Severity.NOTE)
    assert lint(request, NEW) == []


def test_they_keep_that_of_the_latest_turn() -> None:
    assert lint(body(user("go"), assistant(thought(), call("a")), user(result("a"))), OLD) == []
