from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.web.columns import MOST, Point, columns


def points(*values: tuple[float, ...]) -> list[Point]:
    return [Point(value, f"point {number}", weight=value[0]) for number, value in enumerate(values)]


def test_values_are_stacked_from_the_bottom() -> None:
    drawn = columns(points((30, 10), (0, 20)), width=100, height=80)
    assert drawn.peak == 40
    assert drawn.paths == ("M0.0 20.0h48.5v60.0h-48.5z", "M0.0 0.0h48.5v20.0h-48.5zM50.0 40.0h48.5v40.0h-48.5z")


def test_of_many_points_the_heaviest_of_each_stretch_is_drawn() -> None:
    many = points(*((float(number % 50),) for number in range(6_000)))
    drawn = columns(many)
    assert len(drawn.columns) <= MOST
    assert sum(column.count for column in drawn.columns) == 6_000
    first = drawn.columns[0]
    assert first.point.values[0] == max(point.values[0] for point in many[: first.count])


def test_a_place_is_found_in_its_column() -> None:
    drawn = columns(points(*((1.0,) for _ in range(400))), width=1000)
    assert drawn.each == 3
    assert drawn.middle(0) == drawn.middle(2) < drawn.middle(3)
    assert drawn.x(0) == 0


def test_nothing_is_drawn_of_nothing() -> None:
    assert columns([]).columns == ()
    assert columns(points((0, 0))).paths == ("", "")


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), min_size=1, max_size=700))
def test_every_point_has_one_column_inside_the_picture(values: list[tuple[float, float]]) -> None:
    drawn = columns(points(*values), width=1000, height=100)
    assert sum(column.count for column in drawn.columns) == len(values)
    assert [column.first for column in drawn.columns] == list(range(0, len(values), drawn.each))
    for place in range(len(values)):
        assert 0 < drawn.middle(place) < 1000
