from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.web.svg import series, token_bar


def test_a_bar_is_divided_by_its_parts() -> None:
    bar = token_bar([("read", "read", 75), ("fresh", "fresh", 25)])
    assert [(part.x, part.width) for part in bar.segments] == [(0, 75), (75, 25)]
    assert bar.tick is None


def test_a_limit_leaves_room_and_a_threshold_has_a_tick() -> None:
    bar = token_bar([("read", "read", 50)], limit=200, threshold=100)
    assert bar.segments[0].width == 25
    assert bar.tick == 50


def test_a_part_that_is_nothing_is_not_drawn() -> None:
    assert token_bar([("read", "read", 0)]).segments == ()


@given(st.lists(st.integers(0, 10**12), max_size=6), st.integers(0, 10**12), st.integers(0, 10**12))
def test_no_bar_is_longer_than_its_frame(values: list[int], limit: int, threshold: int) -> None:
    bar = token_bar([("read", "read", value) for value in values], limit=limit, threshold=threshold)
    assert sum(part.width for part in bar.segments) <= 100.01
    assert bar.tick is None or 0 <= bar.tick <= 100


def test_a_series_stands_on_zero_and_reaches_its_peak_near_the_top() -> None:
    chart = series([("a", 0, "/a"), ("b", 10, "/b")], width=100, height=50)
    assert [(dot.x, dot.y) for dot in chart.dots] == [(25, 50), (75, 4)]
    assert chart.line == "25.0,50.0 75.0,4.0"
    assert chart.peak == 10


def test_a_series_of_nothing_is_flat_or_empty() -> None:
    assert series([("a", 0, "/a")], height=50).dots[0].y == 50
    assert series([]).area == ""
