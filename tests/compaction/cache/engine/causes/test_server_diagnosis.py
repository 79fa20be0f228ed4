"""What the API says about a break, beside what we say."""

from __future__ import annotations

import pytest

from compaction.cache.engine.causes.evidence import Answer, Diagnosis
from tests.compaction.cache.engine.request_bodies import TOOLS, SentRequest, broken, later, names


def test_the_apis_word_stands_beside_ours() -> None:
    request = SentRequest()
    answers = Answer(), Answer(diagnosis=Diagnosis("tools_changed", 9_000, 110))
    cache_break = broken(request, later(request, tools=TOOLS[1:]), read=0, answers=answers)
    assert cache_break.server_diagnosis == {"reason": "tools_changed", "missed_tokens": 9_000, "position": 110}
    assert cache_break.agrees is True


def test_a_disagreement_with_the_api_is_flagged_and_ours_stands() -> None:
    request = SentRequest()
    answers = Answer(), Answer(diagnosis=Diagnosis("messages_changed", 9_000, 110))
    cache_break = broken(request, later(request, tools=TOOLS[1:]), read=0, answers=answers)
    assert names(cache_break) == ["tools_changed"]
    assert cache_break.agrees is False


def test_where_nothing_is_recorded_the_apis_word_is_taken() -> None:
    request = SentRequest(logged=False, system=None, tools=None)
    answers = Answer(), Answer(diagnosis=Diagnosis("system_changed", 9_000, 110))
    cache_break = broken(request, later(request), read=0, answers=answers)
    assert names(cache_break) == ["system_prompt_changed"]
    assert cache_break.causes[0].positions == (110,)
    assert cache_break.agrees is None


@pytest.mark.parametrize("reason", ["previous_message_not_found", "unavailable"])
def test_an_api_that_does_not_know_neither_agrees_nor_disagrees(reason: str) -> None:
    request = SentRequest()
    cache_break = broken(request, later(request), read=0, answers=(Answer(), Answer(diagnosis=Diagnosis(reason))))
    assert (names(cache_break), cache_break.agrees) == (["likely_server_side"], None)
