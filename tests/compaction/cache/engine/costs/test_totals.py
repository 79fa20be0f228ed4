from __future__ import annotations

import pytest

from compaction.cache.engine.costs.totals import totals_of
from tests.compaction.cache.engine.request_bodies import call


def test_the_hit_rate_is_the_share_of_the_prompts_that_was_read() -> None:
    totals = totals_of([call(0, 10_000, fresh=0), call(10_000, 5_000, fresh=5_000)])
    assert totals.hit_rate == pytest.approx(10_000 / 30_000)


def test_the_rewrite_factor_is_what_was_written_by_the_largest_prompt() -> None:
    totals = totals_of([call(0, 10_000, fresh=0), call(0, 20_000, fresh=0)])
    assert totals.rewrite_factor == pytest.approx(1.5)


def test_each_source_fills_a_cache_of_its_own() -> None:
    totals = totals_of([call(0, 10_000, fresh=0), call(0, 4_000, fresh=0, source="agent")])
    assert totals.rewrite_factor == pytest.approx(1.0)


def test_costs_are_with_the_cache_without_it_and_at_best() -> None:
    totals = totals_of([call(0, 100_000, fresh=0), call(0, 100_000, fresh=0)], 100_000, 0.48)
    output = 2 * 10 * 20e-6
    assert totals.cost == pytest.approx(200_000 * 4e-6 * 1.25 + output)
    assert totals.cost_without == pytest.approx(200_000 * 4e-6 + output)
    assert totals.cost_best == pytest.approx(200_000 * 4e-6 * 1.25 + output - 0.48)


def test_copies_are_not_counted() -> None:
    assert totals_of([call(0, 10_000, copied=True), call(10_000, 0)]).requests == 1


def test_no_requests_have_no_rate_and_no_cost() -> None:
    totals = totals_of([])
    assert (totals.hit_rate, totals.rewrite_factor, totals.cost) == (None, None, None)


def test_requests_without_a_price_are_counted() -> None:
    totals = totals_of([call(0, 10_000), call(0, 10_000, model="kelp-coder-32b")])
    assert totals.unpriced == 1
    assert totals.cost == pytest.approx(10_000 * 4e-6 * 1.25 + 3 * 4e-6 + 10 * 20e-6)
