from __future__ import annotations

from typing import Any

import pytest

from sessions.lint.engine import Severity
from tests.sessions.lint.engine.bodies import (
    BOUND,
    NEW,
    OLD,
    assistant,
    body,
    call,
    lint,
    only,
    places,
    result,
    text,
    thought,
    user,
)

FIVE_MINUTES: dict[str, Any] = {"type": "ephemeral"}
HOUR: dict[str, Any] = {"type": "ephemeral", "ttl": "1h"}
LONG = "word " * 4000


def marked_block(words: str = LONG, mark: Any = FIVE_MINUTES) -> dict[str, Any]:
    return text(words, cache_control=mark)


def tool(mark: Any = FIVE_MINUTES) -> dict[str, Any]:
    schema = {"type": "object"}
    return {"name": "Read", "description": LONG, "input_schema": schema, "cache_control": mark}


def test_a_tool_that_is_loaded_on_demand_carries_none() -> None:
    deferred = {**tool(), "name": "Grep", "defer_loading": True}
    finding = only(body(user("go"), tools=[tool(), deferred]))
    assert (finding.rule, finding.path) == ("mark-place", "tools[1].cache_control")
    assert finding.api_error.startswith("Tool 'Grep' cannot have both defer_loading=true and cache_control set.")


def test_a_tool_that_is_loaded_on_demand_does_not_make_a_prefix_longer() -> None:
    deferred = {**tool(None), "name": "Grep", "defer_loading": True}
    assert only(body(user("go", marked_block("short")), tools=[deferred, {**tool(None), "description": ""}])).rule == (
        "mark-too-early"
    )


def test_the_mark_of_the_request_agrees_with_that_of_its_last_block() -> None:
    assert lint(body(user(marked_block()), cache_control={**FIVE_MINUTES, "ttl": "5m"})) == []
    assert lint(body(user(marked_block(mark=HOUR), "more"), cache_control=FIVE_MINUTES)) == []
    finding = only(body(user(marked_block(mark=HOUR)), cache_control=FIVE_MINUTES))
    assert (finding.rule, finding.path, finding.severity) == ("mark-place", "cache_control", Severity.REFUSED)


def test_four_marks_are_allowed() -> None:
    assert lint(body(user(marked_block(), marked_block()), tools=[tool()], system=[marked_block()])) == []


def test_a_fifth_mark_is_not_allowed() -> None:
    finding = only(body(user(marked_block(), marked_block(), marked_block()), tools=[tool()], system=[marked_block()]))
    assert (finding.rule, finding.path) == ("too-many-marks", "messages[0].content[2]")
    assert finding.api_error == "A maximum of 4 blocks with cache_control may be provided. Found 5."


def test_the_mark_on_the_whole_body_counts() -> None:
    request = body(
        user(marked_block(), marked_block()), tools=[tool()], system=[marked_block()], cache_control=FIVE_MINUTES
    )
    assert places(request) == [("too-many-marks", "cache_control")]


def test_marks_inside_of_results_count() -> None:
    inside = result("a", [marked_block(), marked_block(), marked_block(), marked_block(), marked_block()])
    assert places(body(user(marked_block()), assistant(call("a")), user(inside))) == [
        ("too-many-marks", "messages[2].content[0].content[3]")
    ]


def test_the_mark_on_the_whole_body_is_the_last_of_them() -> None:
    finding = only(body(user(marked_block()), assistant("ok"), user("go"), cache_control=HOUR))
    assert (finding.rule, finding.path) == ("mark-order", "cache_control")
    assert finding.api_error.startswith("cache_control.ttl: a ttl='1h' cache_control block must")
    assert places(body(user(LONG), cache_control={"type": "forever"})) == [("mark-place", "cache_control")]
    assert places(body(user("go"), cache_control=FIVE_MINUTES)) == [("mark-too-early", "cache_control")]


def test_an_hour_comes_before_five_minutes() -> None:
    assert lint(body(user(marked_block()), system=[marked_block(mark=HOUR)])) == []
    finding = only(body(user(marked_block(mark=HOUR)), tools=[tool()]))
    assert (finding.rule, finding.path) == ("mark-order", "messages[0].content[0]")
    assert finding.api_error.startswith("messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must")


@pytest.mark.parametrize("mark", [{"type": "forever"}, {"type": "ephemeral", "ttl": "2h"}, True, {}])
def test_a_mark_has_a_form(mark: Any) -> None:
    assert places(body(user(marked_block(mark=mark)))) == [("mark-place", "messages[0].content[0].cache_control")]


def test_thinking_cannot_be_marked() -> None:
    finding = only(body(user(LONG), assistant(thought(cache_control=FIVE_MINUTES), "ok"), user("go")))
    assert finding.rule == "mark-place"
    assert finding.api_error.endswith("thinking.cache_control: Extra inputs are not permitted")


def test_an_empty_text_cannot_be_marked() -> None:
    errors = [finding.api_error for finding in lint(body(user(LONG, marked_block(""))))]
    assert "messages.0.content.1: cache_control cannot be set for empty text blocks" in errors


def test_a_short_prefix_is_silently_not_cached() -> None:
    finding = only(body(user(marked_block("word " * 400))), NEW)
    assert (finding.rule, finding.severity, finding.api_error) == ("mark-too-early", Severity.COSTS, "")
    assert "1,024" in finding.message


def test_the_least_length_of_a_prefix_depends_on_the_model() -> None:
    request = body(user(marked_block("word " * 1000)))
    assert lint(request, NEW) == []
    assert only(request, OLD).rule == "mark-too-early"


def test_where_the_least_is_not_known_nothing_is_said() -> None:
    assert lint(body(user(marked_block("word"))), BOUND) == []


def test_tools_and_system_prompt_are_part_of_the_prefix() -> None:
    assert lint(body(user(marked_block("go")), system=LONG), NEW) == []


def test_an_early_mark_before_one_that_caches_is_a_note() -> None:
    finding = only(body(user(marked_block("go"), marked_block())), NEW)
    assert (finding.path, finding.severity) == ("messages[0].content[0]", Severity.NOTE)


def test_what_stands_before_a_mark_inside_of_a_result_counts() -> None:
    def read(*parts: Any) -> dict[str, Any]:
        return body(user("go"), assistant(call("a")), user(result("a", list(parts))))

    assert lint(read(marked_block())) == []
    assert lint(read(text(LONG), marked_block("end"))) == []
    assert only(read(marked_block("end"), text(LONG))).rule == "mark-too-early"
