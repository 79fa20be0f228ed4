from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agents.errors import OverloadedError, RateLimitedError, SpendCapError
from inspector.agents.failures import retry_after
from inspector.agents.retrying import Retries

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def test_pauses_double_up_to_the_longest() -> None:
    retries = Retries(attempts=9, first=1, longest=10, chance=lambda: 1.0)
    assert [retries.pause(attempt, OverloadedError()) for attempt in range(1, 7)] == [1, 2, 4, 8, 10, 10]
    assert retries.pause(9, OverloadedError()) is None


@given(st.integers(1, 4), st.floats(0, 1))
def test_chance_only_shortens_a_pause_of_our_own_and_only_lengthens_one_that_was_asked_for(
    attempt: int, chance: float
) -> None:
    retries = Retries(chance=lambda: chance)
    full = 2.0 ** (attempt - 1)
    own, requested = retries.pause(attempt, OverloadedError()), retries.pause(attempt, RateLimitedError(retry_after=7))
    assert own is not None
    assert full / 2 <= own <= full
    assert requested is not None
    assert 7 <= requested <= 7.71


def test_there_is_no_pause_before_what_cannot_help() -> None:
    assert Retries().pause(1, SpendCapError()) is None
    assert Retries().pause(1, OverloadedError(retryable=False)) is None
    assert Retries(patience=60).pause(1, RateLimitedError(retry_after=61)) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_pause_that_the_api_asks_for_is_read_in_all_its_forms(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(headers, NOW) == seconds
