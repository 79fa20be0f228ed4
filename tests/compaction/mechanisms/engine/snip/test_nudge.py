from __future__ import annotations

from compaction.mechanisms.engine.snip.nudge import nudge
from compaction.mechanisms.engine.snip.removal import SnipConfig, short_id, snip
from compaction.mechanisms.engine.snip.state import SnipState
from sessions.transcripts.engine.messages import MessageKind
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.talk import answered, call, typed

TALK = [typed("hello"), answered("yes"), typed("go on")]


def test_it_is_due_after_ten_thousand_tokens_of_growth() -> None:
    assert not nudge(TALK, tokens=9_999).report.applied
    outcome = nudge(TALK, tokens=10_000)
    assert outcome.messages[-1].kind is MessageKind.INJECTED
    assert list(outcome.messages[:-1]) == TALK
    assert outcome.report.tokens_after == estimate(outcome.messages)


def test_it_comes_again_after_as_much_more() -> None:
    state = nudge(TALK, tokens=12_000).state
    assert not nudge(TALK, None, state, tokens=21_999).report.applied
    assert nudge(TALK, None, state, tokens=22_000).report.applied


def test_a_snip_starts_the_count_anew() -> None:
    messages = [*TALK, typed("more")]
    snipped = snip(messages, [short_id(messages[0].uuid)], None, SnipState(baseline=0))
    state = nudge(messages, None, snipped.state, tokens=50_000).state
    assert state.baseline == 50_000
    assert nudge(messages, None, state, tokens=60_000).report.applied


def test_growth_is_counted_from_the_smallest_size_since() -> None:
    state = nudge(TALK, None, SnipState(baseline=150_000), tokens=30_000).state
    assert nudge(TALK, None, state, tokens=40_000).report.applied


def test_nothing_comes_between_a_call_and_its_result() -> None:
    messages = [typed("go"), answered("", call("toolu_1"))]
    outcome = nudge(messages, tokens=20_000)
    assert outcome.messages is messages
    assert nudge([*messages, typed("x")], None, outcome.state, tokens=20_000).report.applied


def test_a_switched_off_snip_does_not_nudge() -> None:
    assert nudge(TALK, SnipConfig(enabled=False), tokens=99_999).messages is TALK


def test_the_same_nudge_has_the_same_uuid() -> None:
    assert nudge(TALK, tokens=10_000).messages[-1] == nudge(TALK, tokens=10_000).messages[-1]
