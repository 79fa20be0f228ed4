from __future__ import annotations

import pytest

from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.compaction.occasion import Occasion
from compaction.mechanisms.engine.partial.compact import partial_compact
from compaction.mechanisms.engine.partial.pivots import ABSENT, ONE_SIDED, THOUGHTS, find_pivots, legal_pivots
from sessions.lint.engine import lint_request
from sessions.transcripts.engine.messages import Message, join_messages
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import Talk

BUDGETED, FREE = "claude-opus-4-5", "claude-opus-4-6"


def work(*thoughts: str) -> Talk:
    """m1 asks, m2 and m4 call, m3 and m5 bring the results, m6 answers; m7 to m12 the same."""
    talk = Talk()
    for number in range(2):
        talk.prompt(f"do {number}")
        for thought in thoughts or ("", ""):
            talk.reads("tides.py", "x" * 3_000, thinks=thought)
        talk.says(f"done {number}")
    return talk


def kept_head() -> Talk:
    """What an earlier compaction left: the first turn has lost the answer that thought."""
    talk = work("hm", "")
    talk.messages = [talk.messages[0], *talk.messages[3:]]
    return talk


def refused(messages: list[Message], model: str) -> list[str]:
    mode = {"type": "enabled", "budget_tokens": 1_024} if model == BUDGETED else {"type": "adaptive"}
    body = {"model": model, "max_tokens": 2_000, "thinking": mode, "messages": join_messages(messages)}
    return [finding.rule for finding in lint_request(body) if finding.severity == "refused"]


@pytest.mark.parametrize("direction", Direction)
def test_a_pivot_never_parts_a_call_from_its_result(direction: Direction) -> None:
    assert legal_pivots(work().messages, direction) == ("m2", "m4", "m6", "m7", "m8", "m10", "m12")


def test_each_other_message_says_what_a_cut_would_do() -> None:
    pivots = find_pivots(work().messages, Direction.UP_TO)
    assert pivots.obstacle("m2") == ""
    assert pivots.obstacle("m1") == ONE_SIDED
    assert pivots.obstacle("m3") == "a tool call would lose its result"
    assert pivots.obstacle("nobody") == ABSENT


def test_what_stands_before_the_last_boundary_is_no_pivot() -> None:
    talk = work()
    compacted = partial_compact(talk.messages, "m7", Direction.UP_TO, Model()).messages
    assert legal_pivots(compacted, Direction.UP_TO) == ("m7", "m8", "m10", "m12")


def test_a_call_that_has_no_result_yet_ends_with_what_follows() -> None:
    talk = work()
    talk.calls("Read", {"file_path": "moon.py"})
    talk.injected("meanwhile")
    assert find_pivots(talk.messages, Direction.FROM).obstacle("m14") == "the result of a tool call is still to come"


def test_the_latest_turn_keeps_its_first_thoughts_behind_a_summary_but_may_end_before_one() -> None:
    messages = work("hm", "").messages[:-1]
    assert find_pivots(messages, Direction.UP_TO).obstacle("m10") == THOUGHTS
    assert find_pivots(messages, Direction.FROM, BUDGETED).obstacle("m10") == ""


@pytest.mark.parametrize(("model", "legal"), [(BUDGETED, False), (FREE, True), ("", True)])
def test_a_summary_never_joins_a_turn_without_first_thoughts_if_the_model_needs_them(model: str, legal: bool) -> None:
    """The summary stands behind a result, so what was an earlier turn is the one that goes on."""
    messages = kept_head().messages
    assert find_pivots(messages, Direction.FROM, model).obstacle("m6") == ("" if legal else THOUGHTS)
    outcome = partial_compact(messages, "m6", Direction.FROM, Model(), occasion=Occasion(model=model))
    assert outcome.report.applied is legal
    assert model == "" or refused(list(outcome.messages), model) == []


def test_words_between_a_result_and_the_summary_do_not_part_them() -> None:
    talk = kept_head()
    noted = [*talk.messages[:3], talk.injected("by the way"), *talk.messages[3:-1]]
    assert [message.uuid for message in noted[1:5]] == ["m4", "m5", "m13", "m6"]
    assert find_pivots(noted, Direction.FROM, BUDGETED).obstacle("m6") == THOUGHTS


def test_where_nobody_thinks_nothing_is_missed() -> None:
    assert "m6" in legal_pivots(work("", "").messages, Direction.FROM, BUDGETED)
