from __future__ import annotations

import json

from compaction.mechanisms.engine.microcompact import MicrocompactConfig, MicrocompactState, microcompact
from compaction.mechanisms.engine.microcompact.cached import CachedState
from compaction.mechanisms.engine.microcompact.clearable import CLEARED
from compaction.mechanisms.engine.microcompact.timed import TimedConfig
from tests.sessions.transcripts.engine.talk import NOON, answered, content, loop

BOTH = MicrocompactConfig(timed=TimedConfig(enabled=True))


def test_while_the_cache_is_warm_it_is_edited() -> None:
    messages = loop(12)
    outcome = microcompact(messages, BOTH, now=NOON + 60)
    assert outcome.messages is messages
    assert len(outcome.cache_edits[0]["edits"]) == 7
    assert outcome.report.mechanism == "cached microcompact"


def test_after_a_pause_the_clock_goes_first_and_the_cached_path_is_reset() -> None:
    warm = microcompact(loop(12), BOTH, now=NOON + 60)
    cold = microcompact([*loop(12), answered("done")], BOTH, warm.state, now=NOON + 7200)
    assert content(cold.messages, "toolu_00") == CLEARED
    assert cold.cache_edits == ()
    assert cold.state.cached == CachedState()
    assert len(cold.reports) == 1


def test_after_that_the_cached_path_starts_with_what_is_left() -> None:
    cold = microcompact([*loop(12), answered("done")], BOTH, now=NOON + 7200)
    more = [*loop(12), answered("done"), *loop(7, prefix="new", at=NOON + 7200)]
    warm = microcompact(more, BOTH, cold.state, now=NOON + 7260)
    assert next(cache_edit["cache_reference"] for cache_edit in warm.cache_edits[0]["edits"]) == "toolu_07"


def test_edits_of_a_cache_that_is_gone_are_not_sent_again() -> None:
    early = microcompact(loop(12), now=NOON + 60)
    late = microcompact(loop(19), None, early.state, now=NOON + 120)
    assert [len(edit["edits"]) for edit in late.cache_edits] == [7, 7]
    warm = microcompact(loop(19), None, late.state, now=NOON + 3600)
    assert warm.cache_edits == late.cache_edits
    cold = microcompact(loop(19), None, late.state, now=NOON + 3601)
    assert [len(edit["edits"]) for edit in cold.cache_edits] == [14]


def test_its_state_can_be_saved() -> None:
    outcome = microcompact(loop(12), BOTH, now=NOON + 60)
    assert MicrocompactState.from_json(json.loads(json.dumps(outcome.state.to_json()))) == outcome.state
