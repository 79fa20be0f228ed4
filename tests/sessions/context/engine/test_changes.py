"""What is told of the way from one request to the next."""

from __future__ import annotations

from sessions.context.engine import Context, contexts
from sessions.context.engine.changes import ChangeKind, Changes, compare_contexts
from sessions.context.engine.presentation.changes import MAX_LISTED, Compared, batch_changes
from sessions.secrets.engine import mask
from sessions.weights.engine import PartReader, WeightTable, weigh_context
from tests.sessions.context.engine.context_helpers import attach, call, log_of, thought
from tests.sessions.context.engine.test_history import compact, talk
from tests.sessions.writing import Writing


def two_last(writing: Writing) -> tuple[Context, Context]:
    changes = list(contexts(log_of(writing)))
    return changes[-2], changes[-1]


def compared(before: Context, after: Context) -> Compared:
    weights = [
        weigh_context(
            PartReader().parts(context.elements), WeightTable(), model=context.model, position=context.position
        )
        for context in (before, after)
    ]
    return Compared(before, after, weights[0], weights[1])


def last_changes(writing: Writing) -> Changes:
    return compare_contexts(*two_last(writing))


def changed_indexes(changes: Changes, kind: ChangeKind) -> list[tuple[int | None, int | None]]:
    return [(change.old, change.new) for change in changes.of(kind)]


def test_the_prefix_holds_when_messages_are_only_added() -> None:
    writing = Writing()
    talk(writing, "one", "two")
    changes = last_changes(writing)
    assert changes.is_prefix_unchanged
    assert (changes.before, changes.after, changes.unchanged) == (1, 3, 1)
    assert changed_indexes(changes, ChangeKind.ADDED) == [(None, 1), (None, 2)]
    assert changes.sentence == "The prefix held: 2 messages were added."


def test_a_request_that_is_sent_again_changes_nothing() -> None:
    writing = Writing()
    first = writing.user("ask")
    writing.assistant("say one")
    writing.leaf = first
    writing.assistant("say two")
    changes = last_changes(writing)
    assert (changes.changes, changes.cause) == ((), None)
    assert changes.sentence == "The prefix held: nothing changed."


def test_a_cleared_result_is_rewritten_by_the_record_that_cleared_it() -> None:
    writing = Writing()
    writing.user("ask")
    writing.assistant(call("toolu_1"))
    writing.result("toolu_1", "high water at noon\nlow water at six")
    writing.assistant("say")
    writing.row("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["toolu_1"]})
    writing.user("ask more")
    writing.assistant("say more")
    changes = last_changes(writing)
    assert not changes.is_prefix_unchanged
    assert changed_indexes(changes, ChangeKind.REWRITTEN) == [(2, 2)]
    assert changes.cause is not None
    assert changes.cause.by == 4
    assert changes.sentence == (
        "The prefix broke at message 3 of 3: it was rewritten (the text of a result was cleared)."
    )


def test_a_compaction_removes_what_it_summarised() -> None:
    writing = Writing()
    talk(writing, "one", "two")
    boundary, _ = compact(writing)
    talk(writing, "three")
    changes = last_changes(writing)
    assert changes.unchanged == 0
    assert changed_indexes(changes, ChangeKind.REMOVED) == [(0, None), (1, None), (2, None)]
    assert changed_indexes(changes, ChangeKind.ADDED) == [(None, 0)]
    assert changes.cause is not None
    assert changes.cause.by == [record["uuid"] for record in writing.records].index(boundary)
    assert "3 messages are no longer sent (the conversation was compacted)" in changes.sentence


def test_kept_messages_stay_and_the_first_of_them_joins_the_summary() -> None:
    writing = Writing()
    uuids = talk(writing, "one", "two", "three")
    compact(writing, *uuids[2:4])
    talk(writing, "four")
    changes = last_changes(writing)
    assert [change.old for change in changes.of(ChangeKind.REMOVED)] == [0, 1, 4]
    assert changed_indexes(changes, ChangeKind.REWRITTEN) == [(2, 0)]
    assert changed_indexes(changes, ChangeKind.ADDED) == [(None, 2)]


def test_going_back_is_told_as_such() -> None:
    writing = Writing()
    talk(writing, "one")
    fork = writing.leaf
    talk(writing, "two", "three")
    writing.leaf = fork
    talk(writing, "four")
    changes = last_changes(writing)
    assert changes.unchanged == 2
    assert changes.cause is not None
    assert changes.cause.words == "the session went back"
    assert len(changes.of(ChangeKind.REMOVED)) == 3


def test_what_went_for_another_reason_is_counted_apart() -> None:
    writing = Writing()
    removed, folded = talk(writing, "one"), talk(writing, "two", "three")
    talk(writing, "four")
    writing.row("system", subtype="snip_boundary", snipMetadata={"removedUuids": removed})
    span = {"firstArchivedUuid": folded[0], "lastArchivedUuid": folded[-1], "summaryContent": "They talked."}
    writing.state("marble-origami-commit", **span)
    writing.user("ask five")
    writing.assistant("say five")
    assert last_changes(writing).sentence.endswith(": 2 messages are no longer sent (snipped), and 4 others.")


def test_a_snip_is_the_cause_of_what_it_removed() -> None:
    writing = Writing()
    removed = talk(writing, "one")
    talk(writing, "two")
    writing.row("system", subtype="snip_boundary", snipMetadata={"removedUuids": removed})
    talk(writing, "three")
    changes = last_changes(writing)
    assert changes.unchanged == 0
    assert changes.cause is not None
    assert (changes.cause.words, changes.cause.by) == ("snipped", 4)


def test_another_model_gets_no_thinking_of_the_first() -> None:
    writing = Writing()
    writing.user("ask")
    writing.assistant(thought(), "say")
    talk(writing, "two")
    writing.user("ask three")
    writing.assistant("say three", model="claude-sonnet-5-5")
    changes = last_changes(writing)
    assert changed_indexes(changes, ChangeKind.REWRITTEN) == [(1, 1)]
    assert changes.cause is not None
    assert "claude-sonnet-5-5 took over" in changes.cause.words


def test_a_block_that_joins_a_sent_message_breaks_the_prefix_there() -> None:
    writing = Writing()
    question = writing.user("ask")
    writing.assistant("say one")
    writing.leaf = question
    attach(writing, "todo_reminder", "Mind the list.")
    writing.assistant("say two")
    changes = last_changes(writing)
    assert changed_indexes(changes, ChangeKind.REWRITTEN) == [(0, 0)]
    assert changes.cause is not None
    assert changes.cause.words == "1 block was added to it"


def test_the_first_request_ever_may_be_compared_with_an_empty_one() -> None:
    writing = Writing()
    writing.user("ask")
    before, after = two_last(writing_with_two(writing))
    assert compare_contexts(before, before).is_prefix_unchanged
    assert compare_contexts(after, before).before == len(after.elements)


def writing_with_two(writing: Writing) -> Writing:
    writing.assistant("say")
    talk(writing, "more")
    return writing


def test_what_was_rewritten_is_shown_with_the_words_that_changed() -> None:
    writing = Writing()
    writing.user("ask")
    writing.assistant(call("toolu_1"))
    writing.result("toolu_1", "key sk-ant-api03-EXAMPLE-not-a-real-key-EXAMPLE-not-a-real-key-EXAMPLE-0000\nnoon")
    writing.assistant("say")
    writing.row("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["toolu_1"]})
    talk(writing, "more")
    before, after = two_last(writing)
    (rewritten, added) = batch_changes(compare_contexts(before, after), compared(before, after), mask)
    assert (rewritten.kind, added.kind) == (ChangeKind.REWRITTEN, ChangeKind.ADDED)
    (diff,) = rewritten.messages[0].diffs
    lines = [(line.kind, line.text) for hunk in diff.hunks for line in hunk.lines]
    assert ("-", "noon") in lines
    assert ("+", "[Old tool result content cleared]") in lines
    assert "EXAMPLE-not-a-real-key" not in str(lines)


def test_of_many_changes_only_the_first_are_told_one_by_one() -> None:
    writing = Writing()
    talk(writing, *(f"number {n}" for n in range(30)))
    compact(writing)
    talk(writing, "after")
    before, after = two_last(writing)
    removed = batch_changes(compare_contexts(before, after), compared(before, after), mask)[0]
    assert (removed.count, len(removed.messages), removed.more) == (59, MAX_LISTED, 59 - MAX_LISTED)
    assert removed.weight.tokens > 0
