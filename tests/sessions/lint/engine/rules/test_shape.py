from __future__ import annotations

from typing import Any

import pytest

from sessions.lint.engine import Severity
from tests.sessions.lint.engine.bodies import assistant, body, call, only, places, result, system, user


@pytest.mark.parametrize("value", [None, 3, "hello", [], [user("go")]])
def test_a_body_is_an_object(value: Any) -> None:
    finding = only(value)
    assert (finding.rule, finding.path, finding.severity) == ("shape", "", Severity.REFUSED)


def test_a_body_has_messages() -> None:
    assert only({"model": "claude-opus-5", "max_tokens": 1}).api_error == "messages: Field required"
    assert only(body()).api_error == "messages: at least one message is required"


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("hi", "messages[1]"),
        ({"role": "tool", "content": "hi"}, "messages[1].role"),
        ({"role": "user"}, "messages[1].content"),
        ({"role": "user", "content": ["hi"]}, "messages[1].content[0]"),
        ({"role": "user", "content": [{"text": "hi"}]}, "messages[1].content[0]"),
        ({"role": "user", "content": [{"type": "text"}]}, "messages[1].content[0].text"),
    ],
)
def test_messages_have_a_shape(message: Any, path: str) -> None:
    assert places(body(user("go"), message)) == [("shape", path)]


def test_a_missing_limit_of_the_answer_is_worth_a_note() -> None:
    finding = only({"model": "claude-opus-5", "messages": [user("go")]})
    assert (finding.rule, finding.severity) == ("max-tokens", Severity.NOTE)


@pytest.mark.parametrize("content", [5, {"type": "text"}, [call("b")], ["words"], [{"text": "words"}]])
def test_a_result_holds_texts_and_images(content: Any) -> None:
    request = body(user("go"), assistant(call("a")), user(result("a", content)))
    assert places(request) == [("shape", "messages[2].content[0].content")]


def test_messages_of_the_role_system_alone_are_no_conversation() -> None:
    assert places(body(system("note"))) == [("user-first", "messages")]
