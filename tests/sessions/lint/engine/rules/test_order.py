from __future__ import annotations

from tests.sessions.lint.engine.bodies import assistant, body, call, lint, only, result, user


def test_results_stand_before_text() -> None:
    finding = only(body(user("go"), assistant(call("a")), user("look:", result("a"))))
    assert (finding.rule, finding.path) == ("results-first", "messages[2].content[1]")
    assert "immediately after: a" in finding.api_error


def test_results_stand_before_text_across_neighbours() -> None:
    finding = only(body(user("go"), assistant(call("a")), user("look:"), user(result("a"))))
    assert (finding.rule, finding.path) == ("results-first", "messages[3].content[0]")


def test_text_may_follow_results() -> None:
    assert lint(body(user("go"), assistant(call("a")), user(result("a"), "look"))) == []
