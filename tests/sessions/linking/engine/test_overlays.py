from __future__ import annotations

from sessions.transcripts.engine.marks import Fate
from tests.sessions.linking.engine.log import Log, marks


def three_reads() -> Log:
    """p1 (0), then call and result of t1 (1, 2), t2 (3, 4), t3 (5, 6)."""
    log = Log()
    log.prompt("p1")
    for number in (1, 2, 3):
        log.call(f"c{number}", f"t{number}")
        log.result(f"r{number}", f"t{number}")
    return log


def test_snipped_rows_are_marked_and_the_hole_is_bridged() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2", "p3", "a3")
    log.system("snip", "snip_boundary", snipMetadata={"removedUuids": ["p2", "a2", "unwritten"]})
    log.prompt("p4")

    linked = log.link()

    assert marks(linked) == [(2, 3, "snipped", 6)]
    assert linked.parents == {4: 1}
    assert linked.branches == ()


def test_any_spelling_of_a_snip_record_counts() -> None:
    log = Log()
    log.talk("p1", "a1", "p2")
    log.system("snip", "snip-boundary", snipMetadata={"removedUuids": ["p1", "a1"]})

    linked = log.link()

    assert marks(linked) == [(0, 1, "snipped", 3)]
    assert linked.parents == {2: None}


def test_a_snipped_row_is_no_leaf() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.system("snip", "snip_boundary", snipMetadata={"removedUuids": ["p2", "a2"]})

    linked = log.link()

    assert linked.leaf == 4
    assert linked.parents == {4: 1}


def test_what_was_snipped_is_not_summarised() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.system("snip", "snip_boundary", snipMetadata={"removedUuids": ["p1", "a1"]})
    log.boundary("b", "snip")
    log.summary("s")

    assert marks(log.link()) == [(0, 1, "snipped", 4), (2, 4, "summarised", 5)]


def test_a_microcompact_clears_results_and_attachments() -> None:
    log = three_reads()
    log.note("file", "r3")
    metadata = {"compactedToolIds": ["t1", "t2", "elsewhere"], "clearedAttachmentUUIDs": ["file"]}
    log.system("mc", "microcompact_boundary", microcompactMetadata=metadata)

    linked = log.link()

    assert marks(linked) == [(2, 2, "cleared", 8), (4, 4, "cleared", 8), (7, 7, "cleared", 8)]
    assert linked.parents == {}


def test_a_result_can_be_cleared_and_later_summarised() -> None:
    log = three_reads()
    log.system("mc", "microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1"]})
    log.boundary("b", "mc")
    log.summary("s")

    assert marks(log.link()) == [(0, 7, "summarised", 8), (2, 2, "cleared", 7)]


def test_a_microcompact_on_an_abandoned_branch_clears_nothing() -> None:
    log = three_reads()
    log.prompt("p2")
    log.answer("a2")
    log.system("mc", "microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1"]})
    log.prompt("p3", "r3")

    assert marks(log.link()) == [(7, 9, "abandoned", 10)]


def test_the_first_microcompact_that_names_a_result_is_its_cause() -> None:
    log = three_reads()
    log.system("mc1", "microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1"]})
    log.system("mc2", "microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1", "t2"]})

    assert marks(log.link()) == [(2, 2, "cleared", 7), (4, 4, "cleared", 8)]


def test_a_content_replacement_marks_persisted_results() -> None:
    log = three_reads()
    log.state("content-replacement", replacements=[{"kind": "tool-result", "toolUseId": "t2", "replacement": "…"}, 7])

    assert marks(log.link()) == [(4, 4, "persisted", 7)]


def test_a_commit_collapses_its_span() -> None:
    log = three_reads()
    log.state("marble-origami-commit", firstArchivedUuid="c1", lastArchivedUuid="r2")
    log.answer("a1")

    assert marks(log.link()) == [(1, 4, "collapsed", 7)]


def test_the_latest_commit_that_covers_a_row_counts() -> None:
    log = three_reads()
    log.state("marble-origami-commit", firstArchivedUuid="c1", lastArchivedUuid="r1")
    log.state("marble-origami-commit", firstArchivedUuid="p1", lastArchivedUuid="c2")
    log.state("marble-origami-commit", firstArchivedUuid="r1", lastArchivedUuid="r3")

    assert marks(log.link()) == [(0, 1, "collapsed", 8), (2, 6, "collapsed", 9)]


def test_a_reset_drops_earlier_commits() -> None:
    log = three_reads()
    log.state("marble-origami-commit", firstArchivedUuid="c1", lastArchivedUuid="r1")
    log.state("marble-origami-reset")
    log.state("marble-origami-commit", firstArchivedUuid="c2", lastArchivedUuid="r2")

    assert marks(log.link()) == [(3, 4, "collapsed", 9)]


def test_a_commit_with_an_unknown_end_or_ends_the_wrong_way_round_collapses_nothing() -> None:
    log = three_reads()
    log.state("marble-origami-commit", firstArchivedUuid="c1", lastArchivedUuid="unwritten")
    log.state("marble-origami-commit", firstArchivedUuid="r2", lastArchivedUuid="c1")

    assert log.link().marks == ()


def test_abandoned_rows_are_not_collapsed() -> None:
    log = Log()
    log.talk("p1", "a1", "p2", "a2")
    log.prompt("p3", "a1")
    log.state("marble-origami-commit", firstArchivedUuid="p1", lastArchivedUuid="p3")

    assert marks(log.link(), Fate.COLLAPSED) == [(0, 1, "collapsed", 5), (4, 4, "collapsed", 5)]
