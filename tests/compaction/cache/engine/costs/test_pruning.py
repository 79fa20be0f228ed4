from __future__ import annotations

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.costs.pruning import LEAST_TOKENS, pruning_of
from tests.compaction.cache.engine.request_bodies import call


def test_a_pause_longer_than_the_cache_lives_is_a_window() -> None:
    pruning = pruning_of([call(0, 50_000, at=1), call(0, 51_000, at=10)], {"msg_10": CauseName.TTL_5M})
    assert [(window.message_id, window.tokens) for window in pruning.windows] == [("msg_10", 51_003)]
    assert "9m 0s without a request" in pruning.windows[0].sentence


def test_a_shorter_pause_is_none() -> None:
    assert pruning_of([call(0, 50_000, at=1), call(50_000, 1_000, at=5)], {}).windows == ()


def test_what_lives_an_hour_is_cold_after_an_hour() -> None:
    calls = [
        call(0, 50_000, at=1, hour=True),
        call(50_000, 1_000, at=50, hour=True),
        call(0, 52_000, at=120, hour=True),
    ]
    assert [window.message_id for window in pruning_of(calls, {}).windows] == ["msg_120"]


def test_a_model_switch_is_a_window_too() -> None:
    pruning = pruning_of([call(0, 50_000, at=1), call(0, 51_000, at=2)], {"msg_2": CauseName.MODEL})
    assert "model changed" in pruning.windows[0].sentence


def test_a_rewind_and_blocks_out_of_sight_leave_the_cache_warm() -> None:
    calls = [call(0, 50_000, at=1), call(20_000, 31_000, at=2)]
    for name in (CauseName.REWIND, CauseName.LOOKBACK):
        assert pruning_of(calls, {"msg_2": name}).windows == ()


def test_a_small_prompt_is_not_worth_clearing() -> None:
    assert pruning_of([call(0, 5_000, at=1), call(0, LEAST_TOKENS - 10, at=10)], {}).windows == ()


def test_clearing_at_a_warm_moment_costs_what_is_written_again() -> None:
    pruning = pruning_of([call(40_000, 10_000, at=1), call(10_000, 30_000, at=2)], {"msg_2": CauseName.DELETION})
    (clearing,) = pruning.clearings
    assert (clearing.warm, clearing.tokens) == (True, 30_003)
    assert clearing.cost is not None
    assert clearing.cost > 0


def test_clearing_at_a_cold_moment_costs_nothing() -> None:
    pruning = pruning_of([call(40_000, 10_000, at=1), call(0, 30_000, at=30)], {"msg_30": CauseName.DELETION})
    (clearing,) = pruning.clearings
    assert (clearing.warm, clearing.tokens, clearing.cost) == (False, 0, 0.0)
    assert pruning.windows == ()
