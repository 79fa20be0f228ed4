from __future__ import annotations

from sessions.transcripts.engine.flags import Flag
from tests.sessions.linking.engine.log import Log, kept, marks


def compacted(**metadata: object) -> Log:
    """p1 a1 p2 a2 (positions 0 to 3), boundary (4), summary (5)."""
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a2", **metadata)
    log.summary("s")
    return log


def test_a_boundary_summarises_all_before_it() -> None:
    log = compacted(trigger="auto", preTokens=100)
    log.talk("p3", "a3")

    linked = log.link()

    assert linked.leaf == 7
    assert marks(linked) == [(0, 3, "summarised", 4)]
    assert linked.parents == {}
    assert linked.branches == ()


def test_rows_before_two_boundaries_belong_to_the_first_that_took_them() -> None:
    log = compacted()
    log.talk("p3", "a3")
    log.boundary("b2", "a3")
    log.summary("s2")

    assert marks(log.link()) == [(0, 3, "summarised", 4), (4, 7, "summarised", 8)]


def test_variant_a_the_rest_hangs_on_the_anchor() -> None:
    log = compacted(**kept("p2", "s", "a2", "p2", "a2"))
    log.note("n1", "s")
    log.prompt("p3")

    linked = log.link()

    assert marks(linked) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]
    assert linked.parents == {2: 5, 6: 3}
    assert linked.branches == ()


def test_variant_b_the_rest_hangs_on_the_last_kept_row() -> None:
    log = compacted(**kept("p2", "s", "a2", "p2", "a2"))
    log.prompt("p3", "a2")

    linked = log.link()

    assert marks(linked) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]
    assert linked.parents == {2: 5}
    assert linked.branches == ()


def test_variant_c_the_kept_rows_are_written_again() -> None:
    log = compacted(**kept("p2", "s", "a2"))
    log.prompt("p2", "s")
    log.answer("a2", "p2")
    log.prompt("p3")

    linked = log.link()

    assert linked.duplicates == (6, 7)
    assert marks(linked) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]
    assert linked.parents == {2: 5}
    assert linked.leaf == 8


def test_a_file_that_ends_with_kept_rows_written_again_has_their_last_as_leaf() -> None:
    log = compacted(**kept("p2", "s", "a2"))
    log.prompt("p2", "s")
    log.answer("a2", "p2")

    linked = log.link()

    assert linked.leaf == 3
    assert marks(linked) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]


def test_the_segment_alone_tells_what_was_kept() -> None:
    log = compacted(**kept("p2", "s", "a2"))
    log.prompt("p3", "s")

    assert marks(log.link()) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]


def test_kept_rows_are_one_chain_whatever_stood_between_them() -> None:
    log = Log()
    log.talk("p1", "a1", "p2")
    log.note("n1", type="progress")
    log.answer("a2")
    log.boundary("b", "a2", **kept("p2", "s", "a2", "p2", "a2"))
    log.summary("s")
    log.prompt("p3")

    linked = log.link()

    assert linked.parents == {2: 6, 4: 2, 7: 4}
    assert linked.branches == ()


def test_a_segment_whose_end_is_missing_reaches_to_the_boundary() -> None:
    log = compacted(**kept("p2", "s", "unwritten"))
    log.prompt("p3", "s")

    assert marks(log.link()) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]


def test_a_kept_segment_without_an_anchor_follows_the_summary() -> None:
    log = compacted(preservedSegment={"headUuid": "p2", "tailUuid": "a2"})
    log.prompt("p3", "s")

    assert log.link().parents == {2: 5, 6: 3}


def test_the_anchor_may_stand_behind_attachments() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a2", **kept("p2", "s", "a2", "p2", "a2"))
    log.note("n1")
    log.summary("s")
    log.note("n2")
    log.prompt("p3")

    linked = log.link()

    assert linked.parents == {2: 6, 7: 3}
    assert marks(linked) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]


def test_right_after_a_boundary_the_leaf_follows_the_kept_rows() -> None:
    log = compacted(**kept("p2", "s", "a2", "p2", "a2"))

    assert log.link().leaf == 3

    log.note("n1")
    log.leaf("n1")

    assert log.link().leaf == 6


def test_kept_rows_are_summarised_by_the_next_boundary() -> None:
    log = compacted(**kept("p2", "s", "a2", "p2", "a2"))
    log.talk("p3", "a3")
    log.boundary("b2", "a3")
    log.summary("s2")
    log.prompt("p4")

    assert marks(log.link()) == [(0, 1, "summarised", 4), (2, 7, "summarised", 8)]


def test_rows_can_be_kept_twice() -> None:
    log = compacted(**kept("a1", "s", "a2", "a1", "p2", "a2"))
    log.prompt("p3", "s")
    log.boundary("b2", "p3", **kept("a2", "s2", "p3", "a2", "p3"))
    log.summary("s2")
    log.answer("a3", "s2")

    linked = log.link()

    assert marks(linked) == [
        (0, 0, "summarised", 4),
        (1, 2, "summarised", 7),
        (3, 3, "kept", 7),
        (4, 5, "summarised", 7),
        (6, 6, "kept", 7),
    ]
    assert linked.parents == {1: 5, 3: 8, 6: 3, 9: 6}
    assert linked.branches == ()


def test_results_beside_the_chain_and_hooks_of_kept_rows_are_kept_with_them() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.prompt("p2")
    log.call("c1", "t1", message="m")
    log.call("c2", "t2", message="m")
    log.result("r2", "t2", "c2")
    log.note("hook", "r2")
    log.result("r1", "t1", "c1")
    log.boundary("b", "r1", **kept("p2", "s", "r1", "p2", "c1", "c2", "r2", "r1"))
    log.summary("s")
    log.answer("a2")

    linked = log.link()

    assert marks(linked) == [(0, 1, "summarised", 8), (2, 7, "kept", 8)]
    assert linked.branches == ()


def test_the_typed_compact_command_before_a_boundary_is_summarised_not_abandoned() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2", "/compact")
    log.boundary("b", "a2", **kept("a2", "s", "a2", "a2"))
    log.summary("s")
    log.prompt("p3")

    linked = log.link()

    assert marks(linked) == [(0, 2, "summarised", 5), (3, 3, "kept", 5), (4, 4, "summarised", 5)]
    assert linked.branches == ()


def test_what_was_left_behind_before_a_boundary_stays_abandoned() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.prompt("p3", "a1")
    log.answer("a3")
    log.boundary("b", "a3")
    log.summary("s")
    log.prompt("p4")

    assert marks(log.link()) == [(0, 1, "summarised", 6), (2, 3, "abandoned", 4), (4, 5, "summarised", 6)]


def test_a_session_that_went_back_and_then_compacted_left_the_rest_behind() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a1")
    log.summary("s")
    log.prompt("p3")

    assert marks(log.link()) == [(0, 1, "summarised", 4), (2, 3, "abandoned", 4)]


def test_a_missing_logical_parent_means_the_row_before() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.boundary("b", "never written")
    log.summary("s")
    log.answer("a2")

    linked = log.link()

    assert marks(linked) == [(0, 1, "summarised", 2)]
    assert linked.dangling == 0


def test_a_logical_parent_behind_the_boundary_means_the_row_before() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.boundary("b", "a2")
    log.summary("s")
    log.answer("a2")

    assert marks(log.link()) == [(0, 1, "summarised", 2)]


def test_a_boundary_needs_neither_metadata_nor_a_summary() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.add("system", "b", None, detail="compact_boundary", flags=Flag.BOUNDARY, record={"compactMetadata": None})
    log.prompt("p2")
    log.answer("a2")

    assert marks(log.link()) == [(0, 1, "summarised", 2)]


def test_a_boundary_with_an_ordinary_parent_is_a_root_all_the_same() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.system("b", "compact_boundary")
    log.summary("s")

    linked = log.link()

    assert linked.parents == {2: None}
    assert marks(linked) == [(0, 1, "summarised", 2)]


def test_a_summary_without_a_boundary_is_one() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.summary("s", None)
    log.talk("p2", "a2")

    assert marks(log.link()) == [(0, 1, "summarised", 2)]


def test_a_file_may_begin_at_a_boundary() -> None:
    log = Log()
    log.boundary("b", "elsewhere", **kept("head", "s", "tail", "head", "tail"))
    log.summary("s")
    log.talk("p1", "a1")

    linked = log.link()

    assert (linked.leaf, linked.marks, linked.parents) == (3, (), {})


def test_a_compaction_up_to_a_pivot_keeps_what_follows_it() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a1", messagesSummarized=2, **kept("p2", "s", "a2", "p2", "a2"))
    log.summary("s", summarizeMetadata={"messagesSummarized": 2, "direction": "up_to"})
    log.note("n1")
    log.prompt("p3")

    linked = log.link()

    assert marks(linked) == [(0, 1, "summarised", 4), (2, 3, "kept", 4)]
    assert linked.branches == ()


def test_a_compaction_from_a_pivot_keeps_what_precedes_it() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a2", **kept("p1", "b", "a1", "p1", "a1"))
    log.summary("s", summarizeMetadata={"messagesSummarized": 2, "direction": "from"})
    log.prompt("p3")

    linked = log.link()

    assert marks(linked) == [(0, 1, "kept", 4), (2, 3, "summarised", 4)]
    assert linked.parents == {0: 4, 5: 1}
    assert linked.cycles == 0
    assert linked.branches == ()


def test_a_partial_compaction_that_names_no_rows_tells_by_its_count() -> None:
    for direction, expected in (
        ("up_to", [(0, 2, "summarised", 4), (3, 3, "kept", 4)]),
        ("from", [(0, 0, "kept", 4), (1, 3, "summarised", 4)]),
        ("sideways", [(0, 3, "summarised", 4)]),
    ):
        log = Log()
        log.talk("p1", "a1", "p2", "a2")
        log.boundary("b", "a2")
        log.summary("s", summarizeMetadata={"messagesSummarized": 3, "direction": direction})
        log.prompt("p3")

        assert marks(log.link()) == expected


def test_nonsense_about_kept_rows_makes_no_cycle_in_the_result() -> None:
    log = compacted(**kept("s", "p3", "b", "s", "p3", "p1"))
    log.talk("p3", "a3")

    linked = log.link()

    assert linked.leaf == 7
