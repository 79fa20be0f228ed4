from __future__ import annotations

from sessions.transcripts.engine.flags import Flag
from tests.sessions.linking.engine.log import Log, marks

NOBODY = "00000000-0000-0000-0000-000000000000"


def test_the_newest_row_of_the_conversation_is_the_leaf() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.state("mode")

    assert log.link().leaf == 1


def test_attachments_and_notes_behind_it_belong_to_it() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.note("n1")
    log.note("n2", type="system")
    log.note("late", "p1")

    assert log.link().leaf == 3


def test_sub_agents_inside_the_file_do_not_count() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.add("user", "s1", None, flags=Flag.SIDECHAIN)

    assert log.link().leaf == 1


def test_rows_of_a_sub_agent_count_in_its_own_file() -> None:
    log = Log()
    log.add("user", "s1", None, flags=Flag.SIDECHAIN)
    log.add("assistant", "s2", message="m", flags=Flag.SIDECHAIN)

    linked = log.link()

    assert linked.leaf == 1
    assert linked.marks == ()
    assert linked.inline_agents == ()


def test_a_late_result_of_an_older_message_is_not_the_leaf() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1", message="m1")
    log.call("c2", "t2", message="m1")
    log.result("r2", "t2")
    log.answer("a1")
    log.result("r1", "t1", "c1")

    linked = log.link()

    assert linked.leaf == 4
    assert linked.marks == ()


def test_a_result_that_arrives_after_a_compaction_does_not_undo_it() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1")
    log.boundary("b", "missing")
    log.summary("s")
    log.result("r1", "t1", "c1")

    linked = log.link()

    assert linked.leaf == 3
    assert marks(linked) == [(0, 1, "summarised", 2)]


def test_a_result_after_a_compaction_does_not_undo_it_though_its_message_goes_on() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1", message="m")
    log.boundary("b", "missing")
    log.summary("s")
    log.call("c2", "t2", message="m")
    log.result("r1", "t1", "c1")

    linked = log.link()

    assert linked.leaf == 4
    assert marks(linked) == [(0, 1, "summarised", 2)]


def test_last_prompt_takes_the_session_back_when_nothing_newer_follows() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.leaf("a1")

    linked = log.link()

    assert linked.leaf == 1
    assert marks(linked) == [(2, 3, "abandoned", None)]
    assert [(branch.fork, branch.first, branch.active) for branch in linked.branches] == [(1, 2, False)]


def test_a_newer_row_outdoes_last_prompt() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.leaf("p1")
    log.talk("p2", "a2")

    linked = log.link()

    assert linked.leaf == 4
    assert linked.marks == ()


def test_only_the_last_last_prompt_counts() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.leaf("a1")
    log.leaf(NOBODY, explicit=True)

    linked = log.link()

    assert linked.leaf == 3
    assert linked.marks == ()


def test_a_last_prompt_that_names_a_missing_row_says_nothing() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.leaf("elsewhere")

    assert log.link().leaf == 1


def test_last_prompt_may_stand_before_the_row_that_it_names() -> None:
    log = Log()
    log.prompt("p1")
    log.leaf("n1")
    log.answer("a1")
    log.note("n1")

    assert log.link().leaf == 3


def test_a_last_prompt_that_lags_behind_answers_leaves_nothing() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1")
    log.result("r1", "t1")
    log.note("n1")
    log.answer("a1")
    log.leaf("r1")

    linked = log.link()

    assert linked.leaf == 4
    assert linked.marks == ()


def test_a_last_prompt_that_names_a_parallel_result_leaves_nothing() -> None:
    log = Log()
    log.prompt("p1")
    log.call("c1", "t1", message="m1")
    log.call("c2", "t2", message="m1")
    log.result("r1", "t1", "c1")
    log.result("r2", "t2", "c2")
    log.leaf("r1")

    linked = log.link()

    assert linked.leaf == 4
    assert linked.marks == ()


def test_after_going_back_to_a_note_that_note_is_the_leaf() -> None:
    log = Log()
    log.talk("p1", "a1")
    log.note("n1", type="system")
    log.talk("p2", "a2")
    log.leaf("n1")

    linked = log.link()

    assert linked.leaf == 2
    assert marks(linked) == [(3, 4, "abandoned", None)]
