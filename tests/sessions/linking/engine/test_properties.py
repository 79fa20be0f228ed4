from __future__ import annotations

import time

from hypothesis import given, settings

from sessions.linking.engine import LinkedTranscript, LinkRow, link
from sessions.transcripts.engine.marks import Fate
from tests.examples import examples
from tests.sessions.linking.engine.log import Log
from tests.sessions.linking.engine.strategies import nonsense

OF_PLACE = {Fate.SUMMARISED, Fate.KEPT, Fate.SNIPPED, Fate.COLLAPSED, Fate.ABANDONED, Fate.SIDECHAIN}


@settings(max_examples=examples(100))
@given(nonsense())
def test_any_rows_can_be_linked(rows: list[LinkRow]) -> None:
    linked = link(rows)

    positions = {row.position for row in rows if row.uuid is not None}
    assert linked.leaf is None or linked.leaf in positions
    assert all(mark.first in positions and mark.last in positions for mark in linked.marks)
    assert all(mark.first <= mark.last for mark in linked.marks)
    assert link(rows) == linked


@settings(max_examples=examples(100))
@given(nonsense())
def test_effective_parents_never_run_in_a_circle(rows: list[LinkRow]) -> None:
    linked = link(rows)
    first = {row.uuid: row for row in reversed(rows) if row.uuid is not None}

    for row in first.values():
        seen = set()
        position: int | None = row.position
        while position is not None:
            assert position not in seen
            seen.add(position)
            position = _parent(linked, first, rows[position])


def _parent(linked: LinkedTranscript, first: dict[int, LinkRow], row: LinkRow) -> int | None:
    if row.position in linked.parents:
        return linked.parents[row.position]
    return first[row.parent].position if row.parent is not None else None


@settings(max_examples=examples(100))
@given(nonsense())
def test_a_row_has_one_fate_of_place_at_most(rows: list[LinkRow]) -> None:
    taken: set[int] = set()
    chain = {row.position for row in rows if row.uuid is not None}
    for mark in link(rows).marks:
        if mark.fate in OF_PLACE:
            covered = set(range(mark.first, mark.last + 1)) & chain
            assert not covered & taken
            taken |= covered


@settings(max_examples=examples(100))
@given(nonsense())
def test_the_leaf_is_part_of_the_active_branch(rows: list[LinkRow]) -> None:
    linked = link(rows)

    assert not any(
        mark.first <= linked.leaf <= mark.last
        for mark in linked.marks
        if mark.fate is Fate.ABANDONED and linked.leaf is not None
    )


@settings(max_examples=examples(100))
@given(nonsense())
def test_branches_left_behind_are_those_that_are_marked(rows: list[LinkRow]) -> None:
    linked = link(rows)
    copies = set(linked.duplicates)
    chain = {row.position for row in rows if row.uuid is not None} - copies
    abandoned = {
        position
        for mark in linked.marks
        if mark.fate is Fate.ABANDONED
        for position in range(mark.first, mark.last + 1)
        if position in chain
    }

    assert sum(branch.size for branch in linked.branches if not branch.active) == len(abandoned)


def test_time_grows_with_the_file_and_not_faster() -> None:
    small, large = _long(3_000), _long(30_000)

    assert _seconds(large) < 40 * max(_seconds(small), 0.002)


def _long(size: int) -> list[LinkRow]:
    """Turns with parallel calls, hooks, progress, rewinds and compactions."""
    log = Log()
    log.prompt("start")
    number = 0
    while len(log.rows) < size:
        number += 1
        before = log.last
        log.prompt(f"p{number}")
        for tool in "ab":
            log.call(f"c{number}{tool}", f"t{number}{tool}", message=f"m{number}")
            log.note(f"n{number}{tool}", type="progress")
        for tool in "ab":
            log.result(f"r{number}{tool}", f"t{number}{tool}", f"c{number}{tool}")
        log.answer(f"a{number}")
        if number % 50 == 0:
            log.prompt(f"again{number}", before)
        if number % 200 == 0:
            log.boundary(f"b{number}", log.last)
            log.summary(f"s{number}")
    return log.rows


def _seconds(rows: list[LinkRow]) -> float:
    best = 60.0
    for _ in range(3):
        start = time.perf_counter()
        link(rows)
        best = min(best, time.perf_counter() - start)
    return best
