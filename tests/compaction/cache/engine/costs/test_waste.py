from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.cache.engine.costs.waste import spare_tokens, waste_of
from sessions.usage.engine.usage import Usage
from tests.compaction.cache.engine.request_bodies import call


def test_it_is_what_was_cached_and_not_read() -> None:
    assert waste_of(call(10_000, 45_000), 50_000).tokens == 40_000


def test_it_is_no_more_than_the_prompt_has() -> None:
    assert waste_of(call(10_000, 5_000, fresh=0), 50_000).tokens == 5_000


def test_it_costs_what_writing_costs_beyond_reading() -> None:
    """Opus 5.5: 4 dollars a million, written at 1.25 of it, read at 0.05."""
    assert waste_of(call(0, 100_000), 100_000).cost == pytest.approx(100_000 * 4e-6 * (1.25 - 0.05))
    assert waste_of(call(0, 100_000, hour=True), 100_000).cost == pytest.approx(100_000 * 4e-6 * (2 - 0.05))


def test_tokens_that_were_not_cached_at_all_cost_the_price_of_input() -> None:
    assert waste_of(call(0, 0, fresh=100_000), 100_000).cost == pytest.approx(100_000 * 4e-6 * (1 - 0.05))


def test_a_model_without_a_price_has_no_cost() -> None:
    waste = waste_of(call(0, 10_000, model="kelp-coder-32b"), 10_000)
    assert (waste.tokens, waste.cost) == (10_000, None)


_COUNT = st.integers(0, 10**6)


@given(_COUNT, _COUNT, _COUNT, _COUNT, _COUNT)
def test_sparing_moves_tokens_and_loses_none(fresh: int, read: int, five: int, hour: int, tokens: int) -> None:
    usage = Usage(fresh, read, five, hour, 7)
    result = spare_tokens(usage, tokens)
    assert result.context == usage.context
    assert result.cache_read == read + min(tokens, fresh + five + hour)
    assert min(result.input, result.cache_write_5m, result.cache_write_1h) >= 0


@given(_COUNT, _COUNT, _COUNT)
def test_waste_is_never_negative_nor_more_than_was_sent_anew(read: int, written: int, cached: int) -> None:
    waste = waste_of(call(read, written), cached)
    assert 0 <= waste.tokens <= written + 3
    assert waste.cost is not None
    assert waste.cost >= 0
