from __future__ import annotations

from typing import Any

import pytest

from sessions.lint.engine import Severity, repair
from tests.sessions.lint.engine.bodies import (
    OLD,
    assistant,
    body,
    call,
    lint,
    only,
    places,
    refusals,
    result,
    text,
    thought,
    user,
)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("", "messages: text content blocks must be non-empty"),
        (" \n\t", "messages: text content blocks must contain non-whitespace text"),
    ],
)
def test_a_text_needs_a_word(words: str, error: str) -> None:
    finding = only(body(user("go", words)))
    assert (finding.rule, finding.path, finding.api_error) == ("empty-text", "messages[0].content[1]", error)


def test_an_answer_may_hold_a_blank_text_beside_others() -> None:
    """Models write them before they think, and clients have sent them back with every request since."""
    written = assistant("\n\n", thought(), call("a"))
    finding = only(body(user("go"), written, user(result("a"))))
    assert (finding.rule, finding.path, finding.severity) == ("empty-text", "messages[1].content[0]", Severity.NOTE)
    array = [user("go"), written, user(result("a"))]
    assert repair(array) == (array, [])


@pytest.mark.parametrize("answer", [assistant("\n\n"), assistant(thought(), "\n\n"), assistant("", "so")])
def test_an_answer_may_not_hold_an_empty_text_or_blank_texts_alone(answer: dict[str, Any]) -> None:
    rules = [finding.rule for finding in refusals(body(user("go"), answer, user("and?")))]
    assert rules == ["empty-text"]


def test_a_message_may_not_be_a_blank_string() -> None:
    assert places(body({"role": "user", "content": " "})) == [("empty-text", "messages[0].content")]


@pytest.mark.parametrize("content", ["", []])
def test_a_message_needs_content(content: Any) -> None:
    finding = only(body(user("go"), {"role": "assistant", "content": content}, user("hello?")))
    assert (finding.rule, finding.path) == ("empty-message", "messages[1]")
    assert "non-empty content except for the optional final assistant message" in finding.api_error


@pytest.mark.parametrize("content", ["", []])
def test_the_last_answer_may_be_empty(content: Any) -> None:
    assert lint(body(user("go"), {"role": "assistant", "content": content}), OLD) == []


def test_the_system_prompt_has_no_empty_texts() -> None:
    assert places(body(user("go"), system=[text("be brief"), text("")])) == [("empty-text", "system[1]")]


def test_a_system_message_may_only_set_options() -> None:
    assert lint(body(user("go"), {"role": "system", "content": "", "output_config": {"effort": "low"}})) == []
    assert lint(body(user("go"), {"role": "system", "output_config": {"effort": "low"}})) == []


def test_other_messages_may_not_only_set_options() -> None:
    request = body(user("go"), {"role": "user", "content": "", "output_config": {"effort": "low"}})
    assert places(request) == [("empty-message", "messages[1]")]


@pytest.mark.parametrize("content", ["", [], "\n", [text("\n")], None])
def test_a_result_may_be_empty_or_blank(content: Any) -> None:
    assert lint(body(user("go"), assistant(call("a")), user(result("a", content)))) == []


def test_a_result_may_not_contain_an_empty_text() -> None:
    request = body(user("go"), assistant(call("a")), user(result("a", [text("x"), text("")])))
    assert places(request) == [("empty-text", "messages[2].content[0].content[1]")]


def test_an_error_says_something() -> None:
    finding = only(body(user("go"), assistant(call("a")), user(result("a", "", is_error=True))))
    assert finding.rule == "empty-error"
    assert "content cannot be empty if `is_error` is true" in finding.api_error
