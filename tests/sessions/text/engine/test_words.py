from __future__ import annotations

import pytest

from sessions.text.engine import words

DAY = 86_400_000


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "unknown"),
        (0, "0"),
        (812, "812"),
        (999.6, "1.0k"),
        (12_400, "12.4k"),
        (999_960, "1.0M"),
        (15_135_900_000, "15.1B"),
        (-1_500, "-1.5k"),
    ],
)
def test_tokens_are_written_in_thousands_and_millions(count: float | None, text: str) -> None:
    assert words.tokens(count) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [(None, "unknown"), (0, "$0.00"), (0.31, "$0.31"), (0.0042, "$0.0042"), (1234.5, "$1,234.50"), (-2, "-$2.00")],
)
def test_money_is_written_in_dollars_and_cents(dollars: float | None, text: str) -> None:
    assert words.money(dollars) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (None, "unknown"),
        (0, "0ms"),
        (412, "412ms"),
        (9_940, "9.9s"),
        (14_200, "14s"),
        (59_700, "1m 0s"),
        (134_000, "2m 14s"),
        (8_040_000, "2h 14m"),
        (3 * DAY + 4 * 3_600_000, "3d 4h"),
        (-1_000, "-1.0s"),
    ],
)
def test_durations_are_written_in_their_largest_units(milliseconds: float | None, text: str) -> None:
    assert words.duration(milliseconds) == text


@pytest.mark.parametrize(
    ("past", "text"),
    [
        (0, "just now"),
        (59_000, "just now"),
        (60_000, "1 minute ago"),
        (3 * DAY, "3 days ago"),
        (800 * DAY, "2 years ago"),
        (-2 * DAY, "in 2 days"),
    ],
)
def test_ages_are_written_in_words(past: int, text: str) -> None:
    assert words.ago(10**13 - past, 10**13) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "unknown"),
        (812, "812 B"),
        (1_500, "1.5 KB"),
        (42_000, "41 KB"),
        (1_048_570, "1.0 MB"),
        (5 * 1024**4, "5.0 TB"),
    ],
)
def test_sizes_are_written_in_bytes_and_their_multiples(count: float | None, text: str) -> None:
    assert words.size(count) == text


def test_estimates_carry_a_mark_and_unknowns_do_not() -> None:
    assert (words.tokens(4_100, estimate=True), words.money(0.5, estimate=True)) == ("~4.1k", "~$0.50")
    assert words.tokens(None, estimate=True) == "unknown"
    assert (words.tokens(0, estimate=True), words.tokens(0.2, estimate=True)) == ("0", "~0")


def test_plurals_follow_the_count() -> None:
    assert (words.plural(1, "match", "matches"), words.plural(1_200, "match", "matches")) == (
        "1 match",
        "1,200 matches",
    )
