from __future__ import annotations

from sessions.linking.engine import Branch
from sessions.transcripts.engine.flags import Flag
from tests.sessions.linking.engine.log import Log, marks


def test_a_rewind_leaves_a_branch_behind() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.note("n1", type="system")
    log.talk("p2", "a2", "p3", "a3")
    log.state("mode")
    log.prompt("p4", "n1")
    log.answer("a4")

    linked = log.link()

    assert marks(linked) == [(3, 6, "abandoned", 8)]
    assert linked.branches == (
        Branch(fork=2, first=3, last=6, size=4, active=False),
        Branch(fork=2, first=8, last=9, size=2, active=True),
    )


def test_state_records_inside_a_branch_do_not_break_its_mark() -> None:
    log = Log()
    log.talk("p1", "a1", "p2")
    log.state("file-history-snapshot")
    log.answer("a2")
    log.prompt("p3", "a1")

    assert marks(log.link()) == [(2, 4, "abandoned", 5)]


def test_two_rewinds_to_one_row_are_two_branches() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.prompt("p3", "a1")
    log.answer("a3")
    log.prompt("p4", "a1")

    linked = log.link()

    assert [(branch.first, branch.last, branch.active) for branch in linked.branches] == [
        (2, 3, False),
        (4, 5, False),
        (6, 6, True),
    ]
    assert marks(linked) == [(2, 5, "abandoned", 6)]


def test_a_branch_inside_a_branch_is_part_of_it() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2", "p3")
    log.prompt("p4", "a2")
    log.prompt("p5", "a1")

    linked = log.link()

    assert [(branch.first, branch.size, branch.active) for branch in linked.branches] == [(2, 4, False), (6, 1, True)]


def test_a_prompt_without_a_parent_begins_the_session_anew() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.prompt("p2", None)
    log.answer("a2")

    linked = log.link()

    assert marks(linked) == [(0, 1, "abandoned", 2)]
    assert [(branch.fork, branch.active) for branch in linked.branches] == [(None, False), (None, True)]


def test_a_file_without_any_links_has_no_branches() -> None:
    log = Log()
    for number in range(3):
        log.prompt(f"p{number}", None)
        log.answer(f"a{number}", None)

    assert log.link().marks == ()


def test_parallel_tool_results_on_side_branches_are_not_left_behind() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1", message="m1")
    log.call("c2", "t2", message="m1")
    log.call("c3", "t3", message="m1")
    log.result("r3", "t3", "c3")
    log.result("r2", "t2", "c2")
    log.note("hook", "r2")
    log.result("r1", "t1", "c1")
    log.answer("a1", "r1")

    linked = log.link()

    assert linked.leaf == 8
    assert linked.marks == ()
    assert linked.branches == ()


def test_an_answer_left_behind_leaves_the_parallel_result_that_it_hangs_on() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1", message="m1")
    log.call("c2", "t2", message="m1")
    log.result("r2", "t2", "c2")
    log.answer("first try", "r2")
    log.result("r1", "t1", "c1")
    log.answer("second try", "r1")

    linked = log.link()

    assert marks(linked) == [(4, 4, "abandoned", None)]
    assert [(branch.fork, branch.size) for branch in linked.branches] == [(3, 1)]


def test_blocks_of_one_message_between_its_results_belong_together() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1", message="m1")
    log.result("r1", "t1")
    log.call("c2", "t2", "c1", message="m1")
    log.result("r2", "t2")
    log.answer("a1", "r1")

    assert log.link().marks == ()


def test_progress_attachments_and_notes_beside_the_chain_are_not_left_behind() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1")
    log.note("b1", type="progress")
    log.note("b2", type="progress")
    log.result("r1", "t1", "c1")
    log.note("h1", "r1")
    log.note("h2", "r1")
    log.answer("a1", "r1")
    log.note("stop", "a1", type="system")
    log.note("queued", "a1", detail="queued_command")
    log.prompt("p2", "a1")

    linked = log.link()

    assert linked.leaf == 10
    assert linked.marks == ()


def test_a_command_that_nothing_answered_is_not_left_behind() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.prompt("caveat", flags=Flag.META)
    log.prompt("exit", flags=Flag.COMMAND)
    log.prompt("bye", flags=Flag.COMMAND)
    log.answer("a2", "caveat")

    assert log.link().marks == ()


def test_a_record_replayed_with_its_old_time_is_no_rewind() -> None:
    log = Log()
    log.prompt("p1", at=1)
    log.answer("a1", at=2)
    log.answer("copy of a1", "p1", at=2)
    log.prompt("p2", at=3)

    assert log.link().marks == ()


def test_what_hangs_on_an_abandoned_row_is_abandoned() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.prompt("p2")
    log.call("c2", "t2")
    log.note("progress", "c2", type="progress")
    log.result("r2", "t2", "c2")
    log.prompt("p3", "a1")

    assert marks(log.link()) == [(2, 5, "abandoned", 6)]


def test_a_rewind_to_before_a_compaction_brings_the_summarised_rows_back() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.boundary("b", "a2")
    log.summary("s")
    log.talk("p3", "a3")
    log.prompt("p4", "a1")
    log.answer("a4")

    linked = log.link()

    assert marks(linked) == [(2, 7, "abandoned", 8)]
    assert [(branch.fork, branch.size) for branch in linked.branches if not branch.active] == [(1, 6)]
