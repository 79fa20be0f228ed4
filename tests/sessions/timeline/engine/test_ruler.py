from __future__ import annotations

from sessions.timeline.engine.ruler import HEIGHT, STRIPS, WIDTH, build_ruler

STORED = {"points": [[10, 500], [50, 1000], [90, 200]], "boundaries": [60], "errors": [20, 21]}


def test_it_is_drawn_from_the_first_entry_to_the_last() -> None:
    drawn = build_ruler(STORED, 101, 0)
    assert drawn
    points = [[float(value) for value in point.split(",")] for point in drawn.line.split()]
    assert points[0] == [0, HEIGHT]
    assert points[1] == [100, HEIGHT]
    assert points[3] == [500, 6]
    assert points[-2][0] == points[-1][0] >= WIDTH
    assert points[-1][1] == HEIGHT


def test_boundaries_errors_and_the_mark_stand_where_they_happened() -> None:
    drawn = build_ruler(STORED, 101, 25)
    assert drawn
    assert [tick.x for tick in drawn.boundaries] == [600]
    assert [tick.x for tick in drawn.errors] == [200, 210]
    assert drawn.window_x == 250


def test_strips_cover_it_once_and_tell_what_is_in_them() -> None:
    drawn = build_ruler(STORED, 1001, 0)
    assert drawn
    assert len(drawn.strips) == STRIPS
    assert sum(strip.width for strip in drawn.strips) == WIDTH
    assert drawn.strips[0].position == 0
    assert drawn.strips[0].tokens == 500
    assert sum(strip.errors for strip in drawn.strips) == 2
    (compacted,) = [strip for strip in drawn.strips if strip.boundaries]
    assert compacted.position == 60


def test_before_the_first_request_the_size_is_not_known() -> None:
    drawn = build_ruler({"points": [[500, 70]]}, 1001, 0)
    assert drawn
    assert drawn.strips[0].tokens is None
    assert drawn.strips[-1].tokens == 70


def test_there_is_none_without_a_request() -> None:
    assert build_ruler({}, 100, 0) is None
    assert build_ruler({"points": []}, 100, 0) is None
