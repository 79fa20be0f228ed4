from __future__ import annotations

from compaction.trail.engine.chain import Link, loops_of


def test_compactions_that_free_nothing_one_after_the_other_are_a_loop() -> None:
    links = [Link(1, 40, 20_000, 20_100), *(Link(number, 1, 20_470, 20_400) for number in range(2, 6))]
    [loop] = loops_of(links)
    assert loop.sentence == (
        "Compactions 1 to 5 are a loop: 5 in a row, with at most one answer between them, and none freed a tenth of "
        "the context (20.0k before the first, 20.4k tokens after the last). What every request starts with is too "
        "large for the threshold."
    )


def test_one_that_helps_or_work_in_between_ends_a_loop() -> None:
    useless = [Link(number, 1, 20_000, 19_900) for number in range(1, 5)]
    assert [len(loop.links) for loop in loops_of([*useless, Link(5, 1, 20_000, 4_000), *useless])] == [4, 4]
    assert [len(loop.links) for loop in loops_of([*useless, Link(5, 30, 20_000, 19_900)])] == [4]


def test_two_or_unknown_sizes_are_none() -> None:
    assert loops_of([Link(1, 1, 20_000, 19_900), Link(2, 1, 20_000, 19_900)]) == []
    assert loops_of([Link(number, 1) for number in range(1, 9)]) == []
