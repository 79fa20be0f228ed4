from __future__ import annotations

from msgspec.structs import replace

from sessions.linking.engine import link
from tests.sessions.linking.engine.log import Log, marks


def test_an_empty_file_has_no_leaf() -> None:
    linked = link([])

    assert linked.leaf is None
    assert linked.marks == ()


def test_a_linear_conversation_has_no_marks_and_no_changed_parents() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")

    linked = log.link()

    assert (linked.leaf, linked.marks, linked.parents, linked.branches) == (3, (), {}, ())


def test_a_missing_parent_makes_a_root_and_leaves_nothing_behind() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.note("hook", "never written", type="progress")
    log.talk("p2", "a2")

    linked = log.link()

    assert linked.dangling == 1
    assert linked.parents == {2: None}
    assert linked.marks == ()


def test_a_parent_may_stand_later_in_the_file() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.note("hook", "notice")
    log.note("notice", "a1", type="system")
    log.prompt("p2")

    linked = log.link()

    assert linked.dangling == 0
    assert linked.cycles == 0
    assert linked.marks == ()
    assert linked.leaf == 4


def test_a_root_goes_on_from_the_newest_row_that_does_not_hang_on_it() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.answer("a2", "notice")
    log.note("notice", "never written", type="system")
    log.prompt("p2", "a2")

    linked = log.link()

    assert linked.cycles == 0
    assert linked.parents == {3: None}
    assert linked.marks == ()


def test_a_cycle_is_cut_at_its_earliest_row() -> None:
    log = Log()
    log.prompt("p1", "a2")
    log.answer("a1")
    log.prompt("p2")
    log.answer("a2")

    linked = log.link()

    assert linked.cycles == 1
    assert linked.parents == {0: None}
    assert linked.marks == ()


def test_a_row_that_is_its_own_parent_is_a_root() -> None:
    log = Log()
    log.prompt("p1", "p1")
    log.answer("a1")

    linked = log.link()

    assert linked.cycles == 1
    assert linked.parents == {0: None}


def test_of_a_repeated_record_the_last_copy_links_and_the_first_has_the_position() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.answer("a2", "p1", message="message of a1")
    log.answer("a2", "a1", message="message of a1")
    log.prompt("p2", "a2")

    linked = log.link()

    assert linked.duplicates == (3,)
    assert linked.parents == {2: 1}
    assert linked.marks == ()


def test_a_record_repeated_at_the_end_does_not_take_the_session_back() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.prompt("p1", None)

    linked = log.link()

    assert linked.leaf == 3
    assert linked.marks == ()


def test_a_copy_of_an_abandoned_row_is_abandoned_too() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.answer("a2", "p2")
    log.prompt("p3", "a1")

    assert marks(log.link()) == [(2, 4, "abandoned", 5)]


def test_positions_need_not_begin_at_zero_nor_be_dense() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.prompt("p3", "a1")

    linked = link([replace(row, position=row.position * 3 + 7) for row in log.rows])

    assert linked.leaf == 19
    assert marks(linked) == [(13, 16, "abandoned", 19)]
