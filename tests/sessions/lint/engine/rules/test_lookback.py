from __future__ import annotations

from typing import Any

from sessions.lint.engine import Severity
from tests.sessions.lint.engine.bodies import assistant, body, call, lint, only, result, system, text, user

MARK = {"type": "ephemeral"}
LONG = "word " * 4000


def parallel(calls: int, mark_call: int | None = None) -> dict[str, Any]:
    """A request whose latest answer had so many calls, and whose last result carries the mark."""
    names = [f"toolu_{number}" for number in range(calls)]
    made = [call(name) for name in names]
    if mark_call is not None:
        made[mark_call]["cache_control"] = MARK
    results = [result(name) for name in names]
    results[-1]["cache_control"] = MARK
    return body(user(LONG), assistant(*made), user(*results))


def test_few_calls_leave_the_earlier_mark_in_sight() -> None:
    assert lint(parallel(9)) == []


def test_many_calls_push_it_out_of_sight() -> None:
    finding = only(parallel(10))
    assert (finding.rule, finding.severity) == ("lookback", Severity.COSTS)
    assert finding.path == "messages[2].content[9]"
    assert "20 blocks" in finding.message


def test_another_mark_between_helps() -> None:
    assert lint(parallel(10, mark_call=3)) == []


def test_without_a_mark_there_is_nothing_to_look_back_from() -> None:
    names = [f"toolu_{number}" for number in range(30)]
    request = body(user(LONG), assistant(*map(call, names)), user(*map(result, names)))
    assert lint(request) == []


def test_a_mark_on_the_body_is_one_on_its_last_block() -> None:
    names = [f"toolu_{number}" for number in range(30)]
    request = body(user(LONG), assistant(*map(call, names)), user(*map(result, names)), cache_control=MARK)
    assert only(request).rule == "lookback"


def test_a_first_request_has_nothing_to_find() -> None:
    assert lint(body(user(*[LONG] * 30, text("go", cache_control=MARK)))) == []


def test_messages_of_the_role_system_are_looked_over_too() -> None:
    notes = [system(f"note {number}") for number in range(18)]
    marked = user(text("go", cache_control=MARK))
    assert lint(body(user(LONG), assistant("ok"), *notes[:17], marked)) == []
    assert only(body(user(LONG), assistant("ok"), *notes, marked)).rule == "lookback"


def test_a_mark_inside_of_a_result_is_one_on_its_block() -> None:
    request = parallel(10)
    request["messages"][-1]["content"][-1] = result("toolu_9", [text("ok", cache_control=MARK)])
    assert only(request).path == "messages[2].content[9]"
