from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.linking.engine import LinkRow, LinkState, advance, link
from sessions.linking.engine.state import AWAITED, TAIL
from sessions.transcripts.engine.flags import Flag
from tests.examples import examples
from tests.sessions.linking.engine.log import Log, kept, key
from tests.sessions.linking.engine.strategies import conversations, nonsense


def state_of(log: Log) -> LinkState:
    """As it comes back from the database."""
    return LinkState.from_json(json.loads(json.dumps(log.link().state.to_json())))


def grown(log: Log, before: int) -> LinkState | None:
    """The state of the first rows, moved on by the others."""
    state = LinkState.from_json(link(log.rows[:before]).state.to_json())
    return advance(state, log.rows[before:])


def conversation() -> Log:
    """p1 a1 p2, then two calls of one message (positions 0 to 4)."""
    log = Log()
    log.talk("p1", "a1", "p2")
    log.call("c1", "t1", message="m")
    log.call("c2", "t2", message="m")
    return log


def test_a_state_survives_json() -> None:
    log = conversation()
    log.note("n1", "missing")

    assert state_of(log) == log.link().state


def test_nothing_new_changes_nothing() -> None:
    state = state_of(conversation())

    assert advance(state, []) == state


def test_rows_that_hang_on_the_leaf_go_on() -> None:
    log = conversation()
    before = len(log.rows)
    log.result("r1", "t1", "c1")
    log.note("hook")
    log.result("r2", "t2", "c2")
    log.state("file-history-snapshot")
    log.answer("a2")
    log.note("turn", type="system")
    log.leaf("turn")
    log.talk("p3", "a3")

    state = grown(log, before)

    assert state is not None
    assert state.leaf == key("a3")
    assert state.leaf == log.link().state.leaf


def test_an_answer_may_hang_on_any_of_the_parallel_results() -> None:
    log = conversation()
    before = len(log.rows)
    log.result("r1", "t1", "c1")
    log.result("r2", "t2", "c2")
    log.answer("a2", "r1")

    assert grown(log, before) is not None


def test_a_further_block_of_the_message_may_hang_on_any_of_its_rows() -> None:
    log = conversation()
    before = len(log.rows)
    log.result("r1", "t1", "c1")
    log.call("c3", "t3", "c2", message="m")
    log.result("r3", "t3", "c3")

    assert grown(log, before) is not None


def test_hook_output_may_hang_on_an_earlier_row() -> None:
    log = conversation()
    before = len(log.rows)
    log.note("late", "a1")

    state = grown(log, before)

    assert state is not None
    assert state.leaf == key("c2")


def test_of_two_notes_on_one_row_the_last_leads_to_the_leaf() -> None:
    log = conversation()
    before = len(log.rows)
    log.note("n1", "c2")
    log.note("n2", "c2")
    log.note("n3", "n1")

    state = grown(log, before)

    assert state is not None
    assert state.leaf == key("n2") == log.link().state.leaf


def test_a_sub_agents_own_file_goes_on_too() -> None:
    log = Log()
    log.add("user", "s1", None, flags=Flag.SIDECHAIN)
    log.add("assistant", "s2", message="m", flags=Flag.SIDECHAIN)
    log.add("user", "s3", flags=Flag.SIDECHAIN)

    assert grown(log, 1) is not None


def test_a_long_run_of_progress_does_not_lose_its_call() -> None:
    log = conversation()
    before = len(log.rows)
    for number in range(3 * TAIL):
        log.note(f"progress {number}", type="progress")
    log.result("r1", "t1", "c1")

    assert grown(log, before) is not None


def a_prompt_elsewhere(log: Log) -> None:
    log.prompt("p3", "a1")


def a_prompt_without_a_parent(log: Log) -> None:
    log.prompt("p3", None)


def an_answer_to_an_earlier_row(log: Log) -> None:
    log.answer("a2", "p2")


def a_missing_parent(log: Log) -> None:
    log.note("n1", "missing")


def a_row_that_an_earlier_one_missed(log: Log) -> None:
    log.note("awaited", "c2")


def a_boundary(log: Log) -> None:
    log.boundary("b", "c2")


def a_summary(log: Log) -> None:
    log.summary("s")


def a_snip(log: Log) -> None:
    log.system("snip", "snip_boundary", snipMetadata={"removedUuids": ["p1"]})


def a_microcompact(log: Log) -> None:
    log.system("mc", "microcompact_boundary")


def a_replacement(log: Log) -> None:
    log.state("content-replacement", replacements=[])


def a_collapse(log: Log) -> None:
    log.state("marble-origami-commit")


def an_inline_agent(log: Log) -> None:
    log.add("user", "side", None, flags=Flag.SIDECHAIN)


def a_last_prompt_that_goes_back(log: Log) -> None:
    log.leaf("a1")


def a_result_of_an_unknown_call(log: Log) -> None:
    log.result("r9", "t9", "c2")


def a_repeated_row(log: Log) -> None:
    log.call("c2", "t2", "c1", message="m")


@pytest.mark.parametrize(
    "accident",
    [
        a_prompt_elsewhere,
        a_prompt_without_a_parent,
        an_answer_to_an_earlier_row,
        a_missing_parent,
        a_row_that_an_earlier_one_missed,
        a_boundary,
        a_summary,
        a_snip,
        a_microcompact,
        a_replacement,
        a_collapse,
        an_inline_agent,
        a_last_prompt_that_goes_back,
        a_result_of_an_unknown_call,
        a_repeated_row,
    ],
)
def test_what_changes_more_asks_for_a_new_link(accident: object) -> None:
    log = conversation()
    log.note("early", "awaited")
    log.last = "c2"
    before = len(log.rows)
    assert callable(accident)
    accident(log)

    assert grown(log, before) is None


def test_a_uuid_from_far_above_is_told_by_the_caller() -> None:
    log = conversation()
    state = state_of(log)
    log.prompt("p3")

    assert advance(state, log.rows[-1:], repeated={key("p3")}) is None
    assert advance(state, log.rows[-1:]) is not None


def test_after_going_back_without_a_new_prompt_the_next_row_asks_for_a_new_link() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.leaf("a1")
    before = len(log.rows)
    log.state("mode")

    assert grown(log, before) is not None

    log.prompt("p3", "a1")

    assert grown(log, before) is None


def test_the_first_row_on_an_anchor_asks_for_a_new_link() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a2", **kept("a2", "s", "a2"))
    log.summary("s")
    before = len(log.rows)
    log.note("n1", "s")

    assert grown(log, before) is None

    log.prompt("p3")

    assert grown(log, before + 1) is not None


def test_a_state_is_small_however_long_the_file() -> None:
    log = Log()
    log.prompt("start")
    for number in range(500):
        log.call(f"c{number}", f"t{number}", message="m")
        log.note(f"n{number}", f"missing {number % AWAITED}")
    state = log.link().state

    assert len(state.tail) <= TAIL
    assert len(state.calls) <= TAIL
    assert len(json.dumps(state.to_json())) < 16_000


def test_a_file_with_too_many_missing_parents_is_always_linked_anew() -> None:
    log = Log()
    log.prompt("start")
    for number in range(AWAITED + 1):
        log.note(f"n{number}", f"missing {number}")
    before = len(log.rows)
    log.note("next")

    assert grown(log, before) is None


def check(rows: list[LinkRow], cut: int) -> None:
    """Whenever rows go on, a full link agrees."""
    earlier = link(rows[:cut])
    above = {row.uuid for row in rows[:cut]}
    repeated = {row.uuid for row in rows[cut:] if row.uuid in above}
    state = advance(LinkState.from_json(earlier.state.to_json()), rows[cut:], repeated)
    if state is None:
        return
    whole = link(rows)
    assert not [mark for mark in whole.marks if mark.last >= cut]
    if state.leaf is not None:
        assert whole.leaf is not None
        assert rows[whole.leaf].uuid == state.leaf
    else:
        assert whole.leaf == earlier.leaf


@settings(max_examples=examples(100))
@given(nonsense(), st.integers(0, 24))
def test_nonsense_that_goes_on_has_no_new_marks_and_the_same_leaf(rows: list[LinkRow], cut: int) -> None:
    check(rows, min(cut, len(rows)))


@settings(max_examples=examples(100))
@given(conversations(), st.integers(1, 60))
def test_conversations_that_go_on_change_nothing_before(rows: list[LinkRow], cut: int) -> None:
    cut = min(cut, len(rows))
    check(rows, cut)
    earlier = link(rows[:cut])
    above = {row.uuid for row in rows[:cut]}
    if advance(earlier.state, rows[cut:], {row.uuid for row in rows[cut:] if row.uuid in above}):
        whole = link(rows)
        assert (whole.marks, whole.parents) == (earlier.marks, earlier.parents)


@settings(max_examples=examples(60))
@given(conversations(), st.integers(1, 60))
def test_row_by_row_is_as_good_as_all_at_once(rows: list[LinkRow], cut: int) -> None:
    state = link(rows[:cut]).state
    at_once = advance(state, rows[cut:])
    moving: LinkState | None = state
    for row in rows[cut:]:
        moving = advance(moving, [row]) if moving is not None else None
    if moving is not None and at_once is not None:
        assert moving == at_once
