"""Usage is read from whatever stands in a message."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.usage.engine.usage import Usage

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.lists(st.integers(), max_size=2)
)
keys = st.sampled_from(
    [
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_creation",
        "ephemeral_5m_input_tokens",
        "ephemeral_1h_input_tokens",
    ]
)
usages = st.builds(Usage, *[st.integers(0, 10**6)] * 5)


def test_it_reads_the_split_of_cache_writes() -> None:
    raw = {
        "input_tokens": 3,
        "output_tokens": 40,
        "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 60,
        "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 40},
    }
    usage = Usage.from_raw(raw)
    assert usage == Usage(input=3, cache_read=500, cache_write_5m=20, cache_write_1h=40, output=40)
    assert usage.context == 563


@pytest.mark.parametrize(
    ("split", "five_minutes", "one_hour"),
    [
        (None, 60, 0),
        ({}, 60, 0),
        ({"ephemeral_1h_input_tokens": 40}, 20, 40),
        ({"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 40}, 20, 40),
        ({"ephemeral_5m_input_tokens": 70, "ephemeral_1h_input_tokens": 40}, 70, 40),
    ],
)
def test_writes_that_the_split_leaves_out_count_as_five_minutes(
    split: object, five_minutes: int, one_hour: int
) -> None:
    usage = Usage.from_raw({"cache_creation_input_tokens": 60, "cache_creation": split})
    assert usage == Usage(0, 0, five_minutes, one_hour, 0)


@pytest.mark.parametrize("raw", [None, [], "12", 7, {}, {"service_tier": "standard"}])
def test_what_counts_nothing_is_no_usage(raw: object) -> None:
    assert Usage.from_raw(raw) is None


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        ("12", 12),
        (12.0, 12),
        (12.9, 12),
        (None, 0),
        (-5, 0),
        (True, 0),
        ("x", 0),
        ("²", 0),
        (float("inf"), 0),
        (10**30, 0),
    ],
)
def test_odd_counts_are_read_or_left_out(value: object, tokens: int) -> None:
    assert Usage.from_raw({"input_tokens": 1, "output_tokens": value}) == Usage(1, 0, 0, 0, tokens)


@settings(deadline=None)
@given(st.dictionaries(keys, scalars | st.dictionaries(keys, scalars, max_size=3), max_size=6))
def test_it_never_raises_and_never_counts_below_zero(raw: dict[str, object]) -> None:
    usage = Usage.from_raw(raw)
    if usage:
        assert min(usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output) >= 0


@settings(deadline=None)
@given(usages, usages)
def test_merging_takes_the_larger_of_each_count_in_any_order(first: Usage, other: Usage) -> None:
    merged = first.merge(other)
    assert merged == other.merge(first)
    assert merged.merge(first) == merged
    assert merged.output == max(first.output, other.output)
    assert merged.context >= max(first.context, other.context)
