from __future__ import annotations

import pytest

from compaction.questions.engine.saving import saving_of
from sessions.usage.engine.usage import Usage

MODEL = "claude-opus-5-5"
PER = 4e-6


def test_it_compares_what_was_paid_with_asking_each_anew() -> None:
    saving = saving_of(MODEL, [Usage(100, 50_000, 900, 0, 10), Usage(200, 50_900, 0, 0, 20)])
    output = 30 * 20e-6
    assert (saving.questions, saving.read, saving.prompt) == (2, 100_900, 102_100)
    assert saving.paid == pytest.approx(300 * PER + 900 * 1.25 * PER + 100_900 * 0.05 * PER + output)
    assert saving.uncached == pytest.approx(102_100 * PER + output)
    assert saving.sentence.startswith(
        "2 questions went to one session at once: 100.9k of their 102.1k tokens came from"
    )
    assert "less than without a cache ($0.41)" in saving.sentence


def test_a_cache_that_was_only_written_cost_more() -> None:
    assert "more than without a cache" in saving_of(MODEL, [Usage(0, 0, 50_000, 0, 10)]).sentence


def test_without_a_price_the_saving_is_unknown() -> None:
    assert "is unknown" in saving_of("kelp-coder-32b", [Usage(1, 2, 3, 4, 5)]).sentence
