from __future__ import annotations

from typing import Any

import pytest

from tests.sessions.lint.engine.bodies import (
    assistant,
    body,
    call,
    lint,
    only,
    places,
    result,
    system,
    text,
    thought,
    user,
)


def test_calls_with_their_results_right_after_them_are_fine() -> None:
    request = body(user("go"), assistant("ok", call("a"), call("b")), user(result("b"), result("a"), "and?"))
    assert lint(request) == []


def test_a_call_needs_a_result_in_the_next_message() -> None:
    finding = only(body(user("go"), assistant(call("toolu_1")), user("never mind")))
    assert finding.path == "messages[1].content[0]"
    assert finding.api_error == (
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def test_a_call_at_the_end_is_not_answered() -> None:
    assert places(body(user("go"), assistant(call("a")))) == [("unanswered-call", "messages[1].content[0]")]


def test_a_result_in_a_later_message_is_too_late() -> None:
    request = body(user("go"), assistant(call("a")), user("wait"), assistant("ok"), user(result("a")))
    assert places(request) == [
        ("unanswered-call", "messages[1].content[0]"),
        ("unexpected-result", "messages[4].content[0]"),
    ]


def test_a_result_without_a_call_is_unexpected() -> None:
    finding = only(body(user(result("toolu_9"))))
    assert finding.api_error == (
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    )


def test_two_calls_cannot_share_an_id() -> None:
    request = body(user("go"), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a")))
    finding = only(request)
    assert (finding.rule, finding.path) == ("duplicate-call", "messages[3].content[0]")
    assert finding.api_error == "messages.3.content.0: `tool_use` ids must be unique"


def test_a_call_has_one_result() -> None:
    finding = only(body(user("go"), assistant(call("a")), user(result("a"), result("a"))))
    assert (finding.rule, finding.path) == ("duplicate-result", "messages[2].content[1]")
    assert "each tool_use must have a single result" in finding.api_error


def test_neighbours_of_one_role_count_as_one_message() -> None:
    request = body(
        *(user("go"), assistant(thought()), assistant(call("a")), assistant(call("b"))),
        *(user(result("a")), user(result("b")), user("and?")),
    )
    assert lint(request) == []


def test_a_message_of_the_role_system_may_stand_between() -> None:
    request = body(user("go"), assistant(call("a")), user(result("a")), system("be brief"), user("and?"))
    assert lint(request) == []


@pytest.mark.parametrize("name", ["", "a b", "ä", None])
def test_an_id_is_made_of_letters_digits_and_dashes(name: Any) -> None:
    assert ("call-id", "messages[1].content[0]") in places(body(user("go"), assistant(call(name)), user(result(name))))


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (user(call("a")), "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages"),
        (user(thought()), "messages.0.content.0: `thinking` blocks can only be in `assistant` messages"),
        (assistant(result("a")), "messages.0.content.0: `tool_result` blocks can only be in `user` messages"),
    ],
)
def test_blocks_stand_in_messages_of_their_role(message: Any, error: str) -> None:
    assert error in [finding.api_error for finding in lint(body(message))]


@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_use"])
def test_only_a_model_calls_the_tools_of_the_server(kind: str) -> None:
    finding = only(body(user({"type": kind, "id": "srvtoolu_1", "name": "web_search", "input": {}}, "go")))
    assert (finding.rule, finding.path) == ("wrong-role", "messages[0].content[0]")


def test_the_result_of_a_server_tool_needs_its_call_before_it() -> None:
    used = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    answer = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    assert lint(body(user("go"), assistant(used, answer, text("done")), user("more"))) == []
    finding = only(body(user("go"), assistant(answer, text("done")), user("more")))
    assert finding.rule == "unexpected-server-result"
    assert "must have a corresponding `server_tool_use` block before it" in finding.api_error


@pytest.mark.parametrize("name", ["", "a b", "x" * 129, 3])
def test_a_call_names_its_tool(name: Any) -> None:
    finding = only(body(user("go"), assistant({**call("a"), "name": name}), user(result("a"))))
    assert (finding.rule, finding.path) == ("call-name", "messages[1].content[0]")
    assert finding.api_error.startswith("messages.1.content.0.tool_use.name: String should match pattern")


def test_a_call_without_a_name_lacks_a_field() -> None:
    nameless = {"type": "tool_use", "id": "a", "input": {}}
    finding = only(body(user("go"), assistant(nameless), user(result("a"))))
    assert finding.api_error == "messages.1.content.0.tool_use.name: Field required"


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def test_a_call_of_a_server_tool_needs_its_result_once_the_turn_is_over() -> None:
    finding = only(body(user("go"), assistant(SEARCH, "so"), user("and?")))
    assert (finding.rule, finding.path) == ("unanswered-server-call", "messages[1].content[0]")
    assert finding.api_error == (
        "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding "
        "`web_search_tool_result` block"
    )
    assert lint(body(user("go"), assistant(SEARCH, FOUND, "so"), user("and?"))) == []


def test_while_only_results_are_sent_the_server_may_still_answer() -> None:
    waiting = body(user("go"), assistant(SEARCH, call("a")), user(result("a")))
    assert lint(waiting) == []
    later = [*waiting["messages"], assistant(FOUND, "so"), user("and?")]
    assert lint(body(*later)) == []
    ended = body(user("go"), assistant(SEARCH, call("a")), user(result("a"), "and?"))
    assert only(ended).rule == "unanswered-server-call"


@pytest.mark.parametrize("odd", [[], {}, 7, None])
def test_ids_that_are_no_texts_pair_nothing(odd: Any) -> None:
    called = lint(body(user("go"), assistant({**call("a"), "id": odd}), user(result("a"))))
    assert {"call-id", "unanswered-call", "unexpected-result"} <= {finding.rule for finding in called}
    answered = lint(body(user("go"), assistant(call("a")), user({**result("a"), "tool_use_id": odd})))
    assert {"unanswered-call", "unexpected-result"} <= {finding.rule for finding in answered}
