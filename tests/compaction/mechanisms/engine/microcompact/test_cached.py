from __future__ import annotations

import json

from hypothesis import given

from compaction.mechanisms.engine.microcompact.cached import (
    CachedConfig,
    CachedReport,
    CachedState,
    cached_microcompact,
)
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import loop


def test_eleven_results_are_left_alone() -> None:
    outcome = cached_microcompact(loop(11))
    assert not outcome.report.applied
    assert outcome.cache_edits == ()
    assert len(outcome.state.order) == 11


def test_at_twelve_the_oldest_are_deleted_down_to_five() -> None:
    messages = loop(12)
    outcome = cached_microcompact(messages)
    assert outcome.messages is messages
    assert outcome.cache_edits == (
        {
            "type": "cache_edits",
            "edits": [{"type": "delete", "cache_reference": f"toolu_{number:02}"} for number in range(7)],
        },
    )
    assert len(outcome.state.deleted) == 7


def test_the_report_tells_the_size_that_the_model_sees() -> None:
    messages = loop(12)
    outcome = cached_microcompact(messages)
    assert outcome.report.tokens_before == estimate(messages)
    assert outcome.report.tokens_after == estimate(messages) - 7 * (1000 - 11)
    assert isinstance(outcome.report, CachedReport)
    assert [entry.tool_use_id for entry in outcome.report.pointers] == [f"toolu_{number:02}" for number in range(7)]
    second = cached_microcompact(messages, None, outcome.state)
    assert second.report.tokens_before == second.report.tokens_after == outcome.report.tokens_after


def test_edits_are_pinned_and_sent_again() -> None:
    first = cached_microcompact(loop(12))
    second = cached_microcompact(loop(13), None, first.state)
    assert second.cache_edits == first.cache_edits
    assert not second.report.applied


def test_only_results_that_are_not_deleted_count() -> None:
    first = cached_microcompact(loop(12))
    assert not cached_microcompact(loop(18), None, first.state).report.applied
    second = cached_microcompact(loop(19), None, first.state)
    assert second.report.applied
    assert [len(edit["edits"]) for edit in second.cache_edits] == [7, 7]


def test_a_result_that_left_the_array_is_not_referred_to() -> None:
    first = cached_microcompact(loop(12))
    second = cached_microcompact(loop(12)[2:], None, first.state)
    assert next(entry["cache_reference"] for entry in second.cache_edits[0]["edits"]) == "toolu_01"


def test_an_edit_whose_results_have_all_left_is_not_sent() -> None:
    first = cached_microcompact(loop(12))
    second = cached_microcompact(loop(12)[16:], None, first.state)
    assert second.cache_edits == ()


def test_a_lost_cache_is_edited_anew() -> None:
    first = cached_microcompact(loop(12))
    assert first.state.without_pins().pinned == ()
    assert cached_microcompact(loop(12), None, first.state.without_pins()).cache_edits == first.cache_edits


def test_an_edit_can_be_undone() -> None:
    messages = loop(12)
    first = cached_microcompact(messages)
    undone = first.state.without(messages[-1].uuid)
    assert (undone.deleted, undone.pinned) == (frozenset(), ())
    assert cached_microcompact(messages, CachedConfig(trigger=99), undone).report.tokens_after == estimate(messages)


def test_agents_models_without_it_and_the_switch_prevent_it() -> None:
    assert cached_microcompact(loop(12), main_thread=False).cache_edits == ()
    assert cached_microcompact(loop(12), supported=False).cache_edits == ()
    assert cached_microcompact(loop(12), CachedConfig(enabled=False)).cache_edits == ()


@given(conversations())
def test_edits_of_the_cache_leave_any_conversation_as_it_is(messages: list[Message]) -> None:
    outcome = cached_microcompact(messages, CachedConfig(trigger=3, keep=1))
    assert outcome.messages is messages
    assert outcome.report.tokens_before == estimate(messages)
    saved = CachedState.from_json(json.loads(json.dumps(outcome.state.to_json())))
    assert saved == outcome.state
    second = cached_microcompact(messages, CachedConfig(trigger=3, keep=1), saved)
    assert second.cache_edits == outcome.cache_edits
    assert second.state == outcome.state
