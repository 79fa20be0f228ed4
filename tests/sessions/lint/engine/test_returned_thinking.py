from __future__ import annotations

from typing import Any

import pytest

from sessions.lint.engine import Severity, repair
from tests.sessions.lint.engine.bodies import (
    BOUND,
    NEW,
    assistant,
    body,
    call,
    lint,
    only,
    places,
    result,
    thought,
    user,
)

EDITED = {**thought("one"), "thinking": "something else"}


def turn(*thoughts: Any) -> list[dict[str, Any]]:
    return [user("go"), assistant(*thoughts, call("a")), user(result("a"))]


WHOLE = turn(thought("one"), thought("two"))


@pytest.mark.parametrize("model", [NEW, BOUND])
def test_thinking_of_the_latest_turn_cannot_be_edited(model: str) -> None:
    finding = only(body(*turn(EDITED, thought("two"))), model, before=WHOLE)
    assert (finding.rule, finding.severity) == ("altered-thinking", Severity.REFUSED)
    assert finding.path == "messages[1].content[0]"
    assert finding.api_error == (
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
        "modified. These blocks must remain as they were in the original response."
    )


@pytest.mark.parametrize("thoughts", [("one",), ("two",), ("two", "one")])
def test_some_thinking_of_the_latest_turn_cannot_be_left_out_or_moved(thoughts: tuple[str, ...]) -> None:
    after = body(*turn(*map(thought, thoughts)))
    assert places(after, before=WHOLE) == [("altered-thinking", "messages[1].content[0]")]


def test_all_of_an_answer_can_be_left_out() -> None:
    assert lint(body(*turn()), before=WHOLE) == []
    assert lint(body(*WHOLE), before=WHOLE) == []


def test_bound_thinking_may_lose_its_first_blocks() -> None:
    assert lint(body(*turn(thought("two"))), BOUND, before=WHOLE) == []


def test_earlier_turns_are_free() -> None:
    later = [assistant("so"), user("and?")]
    assert lint(body(*turn(EDITED), *later), before=[*WHOLE, *later]) == []


def test_thinking_that_was_not_shown_is_not_compared() -> None:
    hidden = {**thought("one"), "thinking": ""}
    assert lint(body(*turn(EDITED)), before=turn(hidden)) == []


def test_signatures_that_were_blotted_out_tell_nothing() -> None:
    first, other = ({**thought(words), "signature": "[REDACTED]"} for words in ("one", "other"))
    earlier = [user("go"), assistant(first, "so"), user("and?"), assistant(other, call("a")), user(result("a"))]
    assert lint(body(*earlier), before=earlier) == []
    assert lint(body(*earlier), before=earlier[:3]) == []


def test_an_edited_block_is_put_back() -> None:
    repaired, repairs = repair(turn(EDITED, thought("two")), model=NEW, before=WHOLE)
    assert repaired == WHOLE
    assert [item.what for item in repairs] == ["Put a thinking block back as it was."]


def test_where_some_is_missing_the_rest_is_left_out() -> None:
    repaired, repairs = repair(turn(thought("two")), model=NEW, before=WHOLE)
    assert repaired == turn()
    assert len(repairs) == 1


def test_after_a_switch_another_model_may_not_take_the_thinking() -> None:
    finding = only(body(*WHOLE), before=body(*WHOLE, model="claude-opus-5"))
    assert (finding.rule, finding.severity) == ("foreign-thinking", Severity.NOTE)
    assert finding.api_error == "messages.1.content.0: Invalid `signature` in `thinking` block"
    assert lint(body(*WHOLE), before=body(*WHOLE, model=f"anthropic.{NEW}-20260101-v1:0")) == []


def test_another_conversation_says_nothing_of_a_switch() -> None:
    assert lint(body(*WHOLE), before=body(user("a title, please"), model="claude-haiku-4-5")) == []
