from __future__ import annotations

from sessions.agents.engine import Thread, find_threads
from sessions.linking.engine import LinkRow
from sessions.transcripts.engine.marks import Fate, Mark


def row(position: int, uuid: int, parent: int | None = None) -> LinkRow:
    return LinkRow(position, "user", "", uuid, parent, None, None, 8)


def test_agents_that_wrote_at_the_same_time_are_told_apart_by_their_parents() -> None:
    rows = [row(4, 1), row(5, 2), row(6, 3, 1), row(7, 4, 2), row(8, 5, 3)]
    marks = [Mark(4, 4, Fate.SIDECHAIN, 2), Mark(5, 5, Fate.SIDECHAIN, 3), Mark(6, 6, Fate.SIDECHAIN, 2)]

    assert find_threads(rows, marks) == [Thread(4, (4, 6, 8), 2), Thread(5, (5, 7), 3)]


def test_a_row_may_stand_before_the_one_that_it_hangs_on() -> None:
    assert find_threads([row(4, 2, 1), row(5, 1)], []) == [Thread(5, (4, 5), None)]


def test_what_hangs_on_a_row_that_is_no_agents_begins_a_thread() -> None:
    assert find_threads([row(4, 2, 99), row(5, 3, 2)], []) == [Thread(4, (4, 5), None)]


def test_rows_whose_parents_form_a_ring_are_threads_of_their_own() -> None:
    assert find_threads([row(4, 1, 2), row(5, 2, 1), row(6, 3, 3)], []) == [
        Thread(4, (4,), None),
        Thread(5, (5,), None),
        Thread(6, (6,), None),
    ]
