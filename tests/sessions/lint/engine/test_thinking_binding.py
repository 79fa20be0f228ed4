"""Which thinking blocks an edit kills, for models that sign what precedes them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.lint.engine import Severity, dead_thinking, lint_request, repair_messages, strip_dead_thinking
from sessions.transcripts.engine.messages import Message, join_messages
from tests.sessions.lint.engine.bodies import BOUND, NEW, assistant, body, call, result, system, text, thought, user
from tests.sessions.transcripts.engine.messages.conversations import requests

ARRAY = [
    user("go"),
    assistant(thought("one"), call("a")),
    user(result("a", "a long result")),
    assistant(thought("two"), thought("three"), "done"),
    user("and?"),
    assistant(thought("four"), "that"),
    user("thanks"),
]


def dead(after: Any, before: Any = ARRAY, model: str = BOUND) -> list[str]:
    return [item.path for item in dead_thinking(before, after, model)]


def edit(message: int, value: Any) -> list[Any]:
    return [*ARRAY[:message], *([value] if value else []), *ARRAY[message + 1 :]]


def test_an_unchanged_array_keeps_its_thinking() -> None:
    assert dead(deepcopy(ARRAY)) == []


def test_what_is_added_at_the_end_kills_nothing() -> None:
    assert dead([*ARRAY, assistant(thought("five"), "you are welcome"), user("bye")]) == []


def test_the_clients_header_for_the_bill_kills_nothing() -> None:
    def sent(header: str, *rest: str) -> dict[str, Any]:
        return body(*ARRAY, model=BOUND, system=[text(f"x-anthropic-billing-header: {header}"), *map(text, rest)])

    assert dead(sent("b", "be brief"), sent("a", "be brief")) == []
    assert len(dead(sent("b", "be long"), sent("a", "be brief"))) == 4


@pytest.mark.parametrize(
    ("short", "long"), [({"system": "be brief"}, {"system": [text("be brief")]}), ({}, {"system": [], "tools": []})]
)
def test_what_is_only_written_in_another_way_kills_nothing(short: Any, long: Any) -> None:
    spelled = edit(2, user(result("a", [text("a long result")], is_error=False)))
    before, after = body(*ARRAY, model=BOUND, **short), body(*spelled, model=BOUND, **long)
    assert dead(after, before) == dead(before, after) == []
    assert len(dead(body(*edit(2, user(result("a", "a long result", is_error=True))), model=BOUND), before)) >= 3


def test_a_cleared_result_kills_all_thinking_after_it() -> None:
    cleared = edit(2, user(result("a", "[Old tool result content cleared]")))
    assert dead(cleared) == ["messages[3].content[0]", "messages[3].content[1]", "messages[5].content[0]"]


def test_a_turn_cut_out_kills_all_thinking_after_it() -> None:
    assert dead([ARRAY[0], *ARRAY[4:]]) == ["messages[2].content[0]"]


def test_a_summary_in_place_of_the_beginning_kills_what_is_kept() -> None:
    assert dead([user("Summary: they went."), *ARRAY[4:]]) == ["messages[2].content[0]"]


def test_thinking_may_be_left_out_from_the_front() -> None:
    without = edit(1, assistant(call("a")))
    assert dead(without) == []
    assert dead([*without[:3], assistant(thought("three"), "done"), *without[4:]]) == []


def test_thinking_may_not_be_left_out_from_the_middle() -> None:
    assert dead(edit(3, assistant(thought("two"), "done"))) == ["messages[5].content[0]"]


def test_thinking_that_changed_places_is_dead() -> None:
    turned = edit(3, assistant(thought("three"), thought("two"), "done"))
    assert dead(turned) == ["messages[3].content[0]", "messages[3].content[1]", "messages[5].content[0]"]


def test_cache_marks_are_no_part_of_what_is_said() -> None:
    assert dead(edit(4, user(text("and?", cache_control={"type": "ephemeral"})))) == []


def test_how_messages_are_split_is_no_part_of_what_is_said() -> None:
    split = [{"role": "user", "content": "go"}, assistant(thought("one")), assistant(call("a")), *ARRAY[2:]]
    assert dead(split) == []


def test_a_message_of_the_role_system_counts() -> None:
    assert dead([*ARRAY[:5], system("be brief"), *ARRAY[5:]]) == ["messages[6].content[0]"]


@pytest.mark.parametrize("change", [{"system": "be brief"}, {"tools": []}])
def test_system_prompt_and_tools_count(change: dict[str, Any]) -> None:
    before = body(*ARRAY, system="be kind", tools=[{"name": "Read"}])
    assert len(dead({**before, **change}, before)) == 4
    assert dead({**before, "max_tokens": 1}, before) == []


def test_other_models_do_not_mind() -> None:
    assert dead([ARRAY[0], *ARRAY[4:]], model=NEW) == []
    assert dead([ARRAY[0], *ARRAY[4:]], model="somebody-elses") == []


def test_a_summary_of_the_api_itself_is_accepted() -> None:
    summary = assistant({"type": "compaction", "content": "They went.", "signature": "x"})
    assert dead([summary, *ARRAY[4:]]) == []


def test_the_linter_finds_them_when_it_knows_what_was_before() -> None:
    after = body(*edit(2, user(result("a", ""))))
    assert [finding.rule for finding in lint_request(after, BOUND, before=ARRAY)] == ["dead-thinking"] * 3
    finding = lint_request(after, BOUND, before=ARRAY)[0]
    assert (finding.severity, finding.path) == (Severity.REFUSED, "messages[3].content[0]")
    assert finding.api_error == (
        "Invalid `signature` in `thinking` block. The block is bound to a different conversation."
    )


def test_they_only_cost_where_the_api_is_asked_to_drop_them() -> None:
    config = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    after = body(*edit(2, user(result("a", ""))), thinking=config)
    assert {finding.severity for finding in lint_request(after, BOUND, before=ARRAY)} == {Severity.COSTS}


def test_stripping_leaves_the_rest_alone() -> None:
    after = edit(2, user(result("a", "")))
    stripped, repairs = strip_dead_thinking(ARRAY, after, BOUND)
    assert stripped == [*after[:3], assistant("done"), after[4], assistant("that"), after[6]]
    assert stripped[0] is after[0]
    assert [repair.path for repair in repairs] == dead(after)


def test_a_message_of_nothing_but_dead_thinking_goes() -> None:
    before = [user("go"), assistant("ok"), user("more"), assistant(thought("one")), assistant("so"), user("and?")]
    after = [user("went"), *before[1:]]
    stripped, _ = strip_dead_thinking(before, after, BOUND)
    assert stripped == [*after[:3], assistant("so"), user("and?")]


def test_an_array_without_dead_thinking_is_not_touched() -> None:
    assert strip_dead_thinking(ARRAY, ARRAY, BOUND) == (ARRAY, [])
    assert strip_dead_thinking(ARRAY, ARRAY, BOUND)[0] is ARRAY


@settings(deadline=None)
@given(requests(), st.data())
def test_after_any_cut_no_dead_thinking_is_left(messages: list[Message], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(messages)))
    last = data.draw(st.integers(first, len(messages)))
    cut = [*messages[:first], *messages[last:]]
    records, _ = repair_messages(cut, model=BOUND, before=messages)
    assert dead_thinking(messages, records, BOUND) == []
    assert dead_thinking(join_messages(messages), join_messages(records), BOUND) == []
    findings = lint_request({"messages": join_messages(records)}, "claude-haiku-4-5")
    assert [finding for finding in findings if finding.severity is Severity.REFUSED] == []
