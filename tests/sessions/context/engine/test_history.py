"""What compactions, snips, rewinds and overlays leave of a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine import Context, PointMissingError, context_at, contexts
from sessions.context.engine.left_out import LeftOutReason, find_left_out
from sessions.transcripts.engine.messages import MessageKind
from tests.sessions.context.engine.context_helpers import attach, call, following, last, log_of, texts
from tests.sessions.writing import Writing


def talk(writing: Writing, *names: str) -> list[str]:
    """A prompt and an answer for each name."""
    return [uuid for name in names for uuid in (writing.user(f"ask {name}"), writing.assistant(f"say {name}"))]


def compact(writing: Writing, *kept: str, anchor: str = "", listed: bool = True, **metadata: Any) -> tuple[str, str]:
    """A boundary and its summary, with the uuids of both. Without an anchor, the summary is it."""
    boundary, summary = f"boundary-{writing.count}", f"summary-{writing.count}"
    parent = anchor or summary
    if kept:
        metadata["preservedSegment"] = {"headUuid": kept[0], "anchorUuid": parent, "tailUuid": kept[-1]}
    if kept and listed:
        metadata["preservedMessages"] = {"anchorUuid": parent, "uuids": list(kept), "allUuids": [*kept, "unwritten"]}
    if anchor == "boundary":
        for item in metadata.values():
            item["anchorUuid"] = boundary
    writing.row("system", uuid=boundary, parent=None, subtype="compact_boundary", compactMetadata=metadata)
    writing.user("In short.", uuid=summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    return boundary, summary


def whole(writing: Writing) -> list[str]:
    return [item for _, many in texts(following(writing)) for item in many]


def reasons(writing: Writing) -> dict[int, tuple[LeftOutReason, int | None]]:
    log = log_of(writing)
    entries = find_left_out(context_at(log), log.rows, log.marks())
    return {entry.position: (entry.reason, entry.by) for entry in entries}


def test_only_what_follows_the_last_boundary_is_sent() -> None:
    writing = Writing()
    talk(writing, "one")
    compact(writing)
    talk(writing, "two")
    compact(writing)
    writing.user("ask three")
    assert whole(writing) == ["In short.\n", "ask three"]
    assert following(writing).messages[0].kind is MessageKind.SUMMARY


@pytest.mark.parametrize("listed", [True, False])
def test_kept_messages_follow_the_summary(listed: bool) -> None:
    writing = Writing()
    talk(writing, "one")
    kept = talk(writing, "two")
    compact(writing, *kept, listed=listed)
    writing.user("ask three")
    assert whole(writing) == ["In short.\n", "ask two", "say two", "ask three"]


def test_kept_messages_are_found_when_the_next_row_hangs_on_the_last_of_them() -> None:
    writing = Writing()
    talk(writing, "one")
    kept = talk(writing, "two")
    compact(writing, *kept)
    writing.user("ask three", parent=kept[-1])
    assert whole(writing) == ["In short.\n", "ask two", "say two", "ask three"]


def test_kept_messages_that_are_written_again_are_sent_once() -> None:
    writing = Writing()
    talk(writing, "one")
    kept = talk(writing, "two")
    _, summary = compact(writing, *kept)
    writing.user("ask two", uuid=kept[0], parent=summary)
    writing.assistant("say two", uuid=kept[1], parent=kept[0])
    writing.user("ask three")
    assert whole(writing) == ["In short.\n", "ask two", "say two", "ask three"]


@pytest.mark.parametrize("listed", [True, False])
def test_a_fork_writes_what_was_kept_between_the_boundary_and_its_summary(listed: bool) -> None:
    """Of a session that was summarised from a point on."""
    origin = Writing()
    kept = talk(origin, "one", "two")
    boundary, summary = compact(origin, *kept, anchor="boundary", listed=listed)
    item = next(record["compactMetadata"] for record in origin.records if record["uuid"] == boundary)
    fork = Writing()
    fork.row("system", uuid=boundary, parent=None, subtype="compact_boundary", compactMetadata=item)
    for record in origin.records[: len(kept)]:
        fork.row(record["type"], message=record["message"], uuid=record["uuid"])
    fork.user("In short.", uuid=summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    fork.user("ask three")
    assert whole(fork) == ["ask one", "say one", "ask two", "say two", "In short.\n", "ask three"]


def test_what_was_kept_twice_is_found_behind_rows_that_were_written_again() -> None:
    """2.1.90 writes results beside the chain again before the summary, which then hangs on one of them; who reads the
    session again begins at that summary."""
    writing = Writing()
    version = "2.1.90"
    kept = talk(writing, "one", "more")
    root, second = kept[0], kept[1]
    first, _ = compact(writing, *kept, anchor="boundary", listed=False)
    tail = talk(writing, "two")[-1]
    metadata = {"preservedSegment": {"headUuid": first, "anchorUuid": "second", "tailUuid": tail}}
    writing.row("system", uuid="second", parent=None, subtype="compact_boundary", compactMetadata=metadata)
    writing.assistant("say one", uuid=second, parent=root)
    writing.user("Shorter.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    talk(writing, "three")
    before = ["ask one", "say one", "ask more", "say more", "In short.\n", "ask two", "say two"]
    assert whole(writing) == [*before, "Shorter.\n", "ask three", "say three"]
    writing.state("last-prompt", lastPrompt="ask three")
    writing.user("ask four", version=version)
    assert whole(writing) == ["Shorter.\n", "ask three", "say three", "ask four"]


def test_answers_and_results_that_are_written_again_are_sent_once() -> None:
    writing = Writing()
    request = writing.user("ask one")
    called = writing.call("Read", "toolu_1", file_path="/a")
    read = writing.result("toolu_1", "text")
    answer = writing.records[1]["message"]
    _, summary = compact(writing, request, called, read)
    writing.user("ask one", uuid=request, parent=summary)
    writing.row("assistant", uuid=called, parent=request, message=answer)
    writing.result("toolu_1", "text", uuid=read, parent=called)
    writing.assistant("say one")
    kinds = [message.kind for message in context_at(log_of(writing)).messages]
    assert kinds == ["summary", "prompt", "answer", "result", "answer"]


def test_a_partial_compaction_from_a_pivot_keeps_what_stands_before_its_summary() -> None:
    writing = Writing()
    kept = talk(writing, "one")
    talk(writing, "two")
    compact(writing, *kept, anchor="boundary")
    writing.user("ask three")
    assert whole(writing) == ["ask one", "say one", "In short.\n", "ask three"]


def test_a_summary_that_hangs_on_the_last_kept_message_follows_what_was_kept() -> None:
    writing = Writing()
    kept = talk(writing, "one")
    talk(writing, "two")
    compact(writing, *kept, anchor="boundary")
    writing.records[-1]["parentUuid"] = kept[-1]
    writing.user("ask three")
    assert whole(writing) == ["ask one", "say one", "In short.\n", "ask three"]
    assert {reasons(writing)[index][0] for index in (2, 3)} == {LeftOutReason.SUMMARISED}


def test_an_old_summary_without_a_boundary_ends_what_is_sent() -> None:
    writing = Writing()
    talk(writing, "one")
    writing.user("In short.", isCompactSummary=True)
    writing.user("ask two")
    assert whole(writing) == ["In short.\n", "ask two"]


def test_notes_between_a_boundary_and_its_summary_are_sent() -> None:
    writing = Writing()
    talk(writing, "one")
    writing.row("system", parent=None, subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    attach(writing, "environment", "You are on Linux.", role="system")
    writing.user("In short.", isCompactSummary=True)
    writing.user("ask two")
    assert texts(following(writing)) == [("user", ["In short.\n", "ask two"]), ("system", ["You are on Linux."])]


def test_before_the_boundary_the_context_is_what_it_was() -> None:
    writing = Writing()
    talk(writing, "one", "two")
    before = texts(last(writing))
    kept = [str(record["uuid"]) for record in writing.records[2:]]
    compact(writing, *kept)
    talk(writing, "three")
    assert texts(list(contexts(log_of(writing)))[1]) == before


def test_going_back_leaves_the_other_branch_out() -> None:
    writing = Writing()
    first = talk(writing, "one")
    talk(writing, "two")
    writing.user("ask other", parent=first[-1])
    writing.assistant("say other")
    assert texts(last(writing)) == [("user", ["ask one"]), ("assistant", ["say one"]), ("user", ["ask other"])]
    assert {reasons(writing)[index][0] for index in (2, 3)} == {LeftOutReason.ABANDONED}


def test_going_back_behind_a_boundary_brings_back_what_it_summarised() -> None:
    writing = Writing()
    first = talk(writing, "one")
    talk(writing, "two")
    compact(writing)
    talk(writing, "three")
    writing.user("ask other", parent=first[-1])
    assert whole(writing) == ["ask one", "say one", "ask other"]


def test_snipped_turns_are_not_sent_and_the_record_is_named() -> None:
    writing = Writing()
    first = talk(writing, "one")
    talk(writing, "two")
    writing.row("system", subtype="snip_boundary", snipMetadata={"removedUuids": first})
    writing.user("ask three")
    assert whole(writing) == ["ask two", "say two", "ask three"]
    assert reasons(writing)[0] == (LeftOutReason.SNIPPED, 4)


def results(writing: Writing) -> list[str]:
    return [item for item in whole(writing) if item.startswith("result")]


def work(writing: Writing, *tools: str) -> None:
    writing.user("Work")
    for tool in tools:
        writing.assistant(call(tool), message=f"m-{tool}")
        writing.result(tool, f"output of {tool}")


def test_a_replaced_result_is_sent_as_its_replacement() -> None:
    writing = Writing()
    work(writing, "t1", "t2")
    replacement = {"kind": "persisted", "toolUseId": "t1", "replacement": "<persisted-output>…"}
    writing.state("content-replacement", replacements=[replacement])
    writing.user("More")
    assert results(writing) == ["result t1: <persisted-output>…", "result t2: output of t2"]
    assert reasons(writing)[2] == (LeftOutReason.PERSISTED, 5)


def test_cleared_results_are_sent_as_a_placeholder_from_then_on() -> None:
    writing = Writing()
    work(writing, "t1", "t2")
    metadata = {"compactedToolIds": ["t1"], "clearedAttachmentUUIDs": []}
    writing.row("system", subtype="microcompact_boundary", microcompactMetadata=metadata)
    writing.user("More")
    assert results(writing) == ["result t1: [Old tool result content cleared]", "result t2: output of t2"]
    assert reasons(writing)[2] == (LeftOutReason.CLEARED, 5)
    earlier = list(contexts(log_of(writing)))[1]
    assert texts(earlier)[2] == ("user", ["result t1: output of t1"])


def test_a_collapsed_span_is_sent_as_its_summary() -> None:
    writing = Writing()
    talk(writing, "one")
    span = talk(writing, "two")
    talk(writing, "three")
    commit = {"firstArchivedUuid": span[0], "lastArchivedUuid": span[-1], "summaryContent": "two was asked"}
    writing.state("marble-origami-commit", collapseId="c1", summaryUuid="s1", **commit)
    writing.user("ask four")
    assert whole(writing) == ["ask one", "say one", "two was asked\n", "ask three", "say three", "ask four"]
    assert reasons(writing)[2] == (LeftOutReason.COLLAPSED, 6)
    writing.state("marble-origami-reset")
    assert "ask two" in whole(writing)


def test_every_entry_that_is_not_sent_has_a_reason() -> None:
    writing = Writing()
    talk(writing, "one")
    boundary = writing.count
    compact(writing)
    writing.state("mode", mode="normal")
    writing.user("ask two")
    entries = reasons(writing)
    assert entries[0] == (LeftOutReason.SUMMARISED, 2) == entries[1]
    assert entries[boundary] == (LeftOutReason.UNSENT, None)
    assert entries[4] == (LeftOutReason.UNSENT, None)
    assert sorted(entries) == [0, 1, 2, 4]


def test_rows_of_sub_agents_in_the_main_file_are_told_apart() -> None:
    writing = Writing()
    writing.user("ask")
    leaf = writing.leaf
    writing.user("help", isSidechain=True, parent=None)
    writing.assistant("helping", isSidechain=True)
    writing.leaf = leaf
    writing.assistant("done")
    assert texts(last(writing)) == [("user", ["ask"])]
    assert reasons(writing)[1][0] is LeftOutReason.SIDECHAIN


def test_the_context_after_an_entry_ends_with_it() -> None:
    writing = Writing()
    first = talk(writing, "one", "two")
    assert texts(context_at(log_of(writing), first[1])) == [("user", ["ask one"]), ("assistant", ["say one"])]


def test_a_point_that_is_not_in_the_log_is_refused() -> None:
    writing = Writing()
    talk(writing, "one")
    with pytest.raises(PointMissingError):
        context_at(log_of(writing), "msg_unknown")


def test_an_answer_that_another_follows_at_once_was_followed_by_words_in_no_record() -> None:
    """2.0.76 sends a prompt that was typed meanwhile, and does not record it."""
    writing = Writing()
    writing.user("Measure slowly.")
    writing.assistant("Slowly measured.", message="m1")
    assert not _words_are_missing(following(writing))
    writing.assistant("The pier, too.", message="m2")
    context = last(writing)
    assert texts(context) == [("user", ["Measure slowly."]), ("assistant", ["Slowly measured."])]
    assert _words_are_missing(context)


def _words_are_missing(context: Context) -> bool:
    return any(sentence.startswith("What was sent after the last answer") for sentence in context.unknown)


def test_a_beginning_that_is_not_in_the_file_is_called_unknown() -> None:
    writing = Writing()
    writing.user("go on", parent="in-another-file")
    writing.assistant("yes")
    context = last(writing)
    assert texts(context) == [("user", ["go on"])]
    assert any(sentence.startswith("What stood where the file has a gap") for sentence in context.unknown)


def test_parents_in_a_ring_end() -> None:
    writing = Writing()
    writing.user("ask", uuid="a", parent="b")
    writing.assistant("say", uuid="b", parent="a")
    writing.user("more")
    assert set(whole(writing)) == {"ask", "say", "more"}


def test_a_log_without_a_conversation_has_an_empty_context() -> None:
    writing = Writing()
    writing.state("ai-title", aiTitle="Nothing yet")
    assert following(writing).elements == ()
    assert list(contexts(log_of(writing))) == []
