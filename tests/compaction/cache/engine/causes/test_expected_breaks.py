"""Breaks that had to come: compactions, rewinds, cleared content."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compaction.cache.engine.causes.evidence import Answer, CacheEvent
from compaction.cache.engine.causes.explanation import explain_compaction
from compaction.cache.engine.requests.calls import Drop
from tests.compaction.cache.engine.request_bodies import (
    HEAD,
    TOOLS,
    SentRequest,
    also,
    broken,
    call,
    conversation,
    later,
    names,
)


def test_a_compaction_is_expected_and_wastes_nothing() -> None:
    result = explain_compaction(Drop(call(50_000, at=1), call(9_000, 8_000, at=2)), 7)
    assert names(result) == ["compaction"]
    assert result.expected
    assert result.causes[0].positions == (7,)
    assert (result.waste.tokens, result.waste.cost) == (0, 0.0)


def test_a_rewind_that_read_all_it_shares_is_expected_and_wastes_nothing() -> None:
    request = SentRequest()
    shorter = replace(
        later(request), messages=[*request.messages[:11], *conversation(1, "Instead {}. ")], places={11: 105}
    )
    cache_break = broken(request, shorter, read=4_000, within_reach=4_000)
    assert names(cache_break) == ["rewind"]
    assert cache_break.expected
    assert cache_break.waste.tokens == 0


def test_a_rewind_that_read_less_than_it_shares_has_another_cause() -> None:
    request = SentRequest()
    shorter = replace(
        later(request), messages=[*request.messages[:11], *conversation(1, "Instead {}. ")], places={11: 105}
    )
    cache_break = broken(request, shorter, read=0, within_reach=4_000, gap=6)
    assert names(cache_break) == ["ttl_expired_5m"]
    assert also(cache_break) == ["rewind"]
    assert cache_break.waste.tokens == 4_000
    assert not cache_break.expected


def test_a_conversation_that_was_written_down_once_more_did_not_go_back() -> None:
    """2.0.30 does so when it reads a session with a picture again."""
    request = SentRequest()
    words, answer = conversation(2, "Once more {}. ")
    again = replace(
        later(request),
        messages=[*request.messages[:40], words, answer],
        places={40: 105, 41: 106},
        answers={41: "msg_100"},
    )
    assert names(broken(request, again, read=4_000, within_reach=4_000)) == ["messages_rewritten"]


@pytest.mark.parametrize("kind", ["microcompact_boundary", "marble-origami-commit"])
def test_content_that_was_cleared_in_between_is_expected(kind: str) -> None:
    request = SentRequest()
    messages = list(later(request).messages)
    messages[4] = {"role": "user", "content": [{"type": "text", "text": "[Old tool result content cleared]"}]}
    cache_break = broken(request, replace(later(request), messages=messages), read=HEAD, events=[CacheEvent(kind, 105)])
    assert names(cache_break) == ["cache_deletion"]
    assert cache_break.causes[0].positions == (105,)
    assert cache_break.expected
    assert also(cache_break) == []


def test_what_the_api_cleared_itself_is_expected() -> None:
    request = SentRequest()
    cache_break = broken(request, later(request), read=HEAD, answers=(Answer(), Answer(cleared_tokens=40_000)))
    assert names(cache_break) == ["cache_deletion"]
    assert "40,000 tokens" in cache_break.causes[0].sentence
    assert cache_break.expected


def test_tokens_deleted_from_the_cache_are_expected_when_they_were_not_deleted_before() -> None:
    request = SentRequest()
    deleted, more = Answer(deleted_tokens=40_000), Answer(deleted_tokens=52_000)
    cache_break = broken(request, later(request), read=HEAD, answers=(deleted, more))
    assert names(cache_break) == ["cache_deletion"]
    assert "The API deleted 12,000 tokens of old content from the cache" in cache_break.causes[0].sentence
    assert cache_break.expected
    for same in (Answer(deleted_tokens=40_000), Answer(cleared_tokens=40_000)):
        assert names(broken(request, later(request), read=HEAD, answers=(same, same))) != ["cache_deletion"]


def test_tools_that_changed_are_not_excused_by_a_clearing() -> None:
    request = SentRequest()
    cache_break = broken(
        request, later(request, tools=TOOLS[1:]), read=0, events=[CacheEvent("microcompact_boundary", 105)]
    )
    assert names(cache_break) == ["tools_changed"]
    assert not cache_break.expected


def test_a_shorter_prompt_that_was_read_whole_is_expected() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    cache_break = broken(request, later(request), read=10_000, was=60_000)
    assert cache_break.expected
    assert cache_break.waste.tokens <= 2_000
