from __future__ import annotations

from sessions.lint.engine import Severity
from tests.sessions.lint.engine.bodies import NEW, OLD, assistant, body, call, lint, only, system, user


def test_the_first_message_is_a_users() -> None:
    finding = only(body(assistant("hi"), user("go")))
    assert (finding.rule, finding.path) == ("user-first", "messages[0]")
    assert finding.api_error == 'messages: first message must use the "user" role'


def test_a_summary_of_the_api_may_come_first() -> None:
    summary = {"type": "compaction", "content": "They talked about tides."}
    assert lint(body(assistant(summary), user("go"))) == []


def test_newer_models_do_not_continue_an_answer() -> None:
    finding = only(body(user("go"), assistant("The answer is")), NEW)
    assert (finding.rule, finding.path) == ("prefill", "messages[1]")
    assert finding.api_error.startswith("This model does not support assistant message prefill.")


def test_older_models_continue_an_answer() -> None:
    assert lint(body(user("go"), assistant("The answer is")), OLD) == []


def test_older_models_do_not_continue_an_answer_that_ends_with_a_blank() -> None:
    finding = only(body(user("go"), assistant("The answer is ")), OLD)
    assert finding.rule == "prefill-blank"
    assert "trailing whitespace" in finding.api_error


def test_of_an_unknown_model_nothing_is_said_but_that() -> None:
    finding = only(body(user("go"), assistant("The answer is ")), "somebody-elses")
    assert (finding.rule, finding.severity) == ("unknown-model", Severity.NOTE)
    assert "somebody-elses" in finding.message


def test_a_body_without_a_model_says_so() -> None:
    request = body(user("go"))
    del request["model"]
    assert only(request).rule == "unknown-model"


def test_an_answer_that_waits_for_the_server_is_no_prefill() -> None:
    used = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    assert lint(body(user("go"), assistant(used)), NEW) == []
    connected = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "find", "server_name": "s", "input": {}}
    assert lint(body(user("go"), assistant(connected)), NEW) == []


def test_an_answer_that_was_refused_midway_may_be_continued_with_its_token() -> None:
    assert lint(body(user("go"), assistant("The answer is"), fallback_credit_token="token"), NEW) == []


def test_an_open_call_is_one_finding_and_not_two() -> None:
    assert only(body(user("go"), assistant(call("a"))), NEW).rule == "unanswered-call"


def test_neighbours_of_one_role_and_the_role_system_are_taken() -> None:
    request = body(user("go"), user("now"), system("be brief"), assistant("ok"), assistant("well"), user("and?"))
    assert lint(request) == []


def test_for_older_models_the_role_system_is_worth_a_note() -> None:
    finding = only(body(user("go"), system("be brief")), OLD)
    assert (finding.rule, finding.severity) == ("system-role", Severity.NOTE)
