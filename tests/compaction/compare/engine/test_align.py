from __future__ import annotations

from compaction.compare.engine import Cause, Causes, Status, causes_of_left_out, causes_of_report, compare
from compaction.kinds.engine import KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.snip import SNIP
from compaction.kinds.services.make import report_of
from compaction.kinds.services.summarising import Summariser
from compaction.mechanisms.engine.compaction.boundary import Boundary, Trigger
from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields, text_block
from tests.sessions.transcripts.engine.talk import NOON, answered, call, loop, returned, typed

TALK = [typed("How high is it?"), answered("Two metres."), typed("And at noon?"), answered("One metre.")]
MECHANICAL = Summariser("mechanical", "")


def statuses(before: list[Message], after: list[Message], causes: Causes | None = None) -> list[str]:
    return [row.status.value for row in compare(before, after, causes).rows]


def made(kind: KindSpec, messages: list[Message], **given: str) -> tuple[list[str], list[str]]:
    """What became of each message, and why, by the stored report of a compaction."""
    applied = apply_kind(kind, messages, Parameters(settings=given), now=NOON + 9_999, model="claude-opus-4-6")
    report = report_of(kind, applied, MECHANICAL)
    rows = compare(messages, applied.after, causes_of_report(report)).rows
    return [row.status.value for row in rows], [row.cause.words for row in rows if row.cause is not None]


def test_the_same_messages_are_kept() -> None:
    assert statuses(TALK, list(TALK)) == ["kept"] * 4


def test_what_is_gone_stands_before_what_came_in_its_place() -> None:
    summary = Message("user", (text_block("In short."),), MessageKind.SUMMARY, "summary")
    assert statuses(TALK, [summary, *TALK[2:]]) == ["dropped", "dropped", "added", "kept", "kept"]


def test_without_a_cause_it_says_that_none_is_recorded() -> None:
    row = compare(TALK, TALK[1:]).rows[0]
    assert row.cause is not None
    assert row.cause.words == "No record says why."


def test_a_message_in_other_words_is_changed() -> None:
    other = replace_fields(TALK[0], content=(text_block("How low is it?"),))
    assert statuses(TALK, [other, *TALK[1:]]) == ["changed", "kept", "kept", "kept"]


def test_one_that_changed_its_place_stands_where_it_is_now_and_only_there() -> None:
    rows = compare(TALK, [TALK[3], *TALK[:3]]).rows
    assert [(row.before, row.after, row.moved) for row in rows] == [
        (3, 0, True),
        (0, 1, False),
        (1, 2, False),
        (2, 3, False),
    ]


def test_two_records_that_say_the_same_are_two() -> None:
    assert statuses([typed("Go on", "one")], [typed("Go on", "two")]) == ["dropped", "added"]


def test_what_has_no_name_is_known_by_its_words() -> None:
    nameless = Message("user", (text_block("<total_tokens>"),), MessageKind.INJECTED)
    assert statuses([*TALK, nameless], [*TALK, replace_fields(nameless)]) == ["kept"] * 5
    assert statuses([nameless], [replace_fields(nameless, content=(text_block("other"),))]) == ["dropped", "added"]


def test_a_uuid_that_stands_twice_is_matched_in_order() -> None:
    twice = [TALK[0], TALK[0]]
    assert statuses(twice, twice) == ["kept", "kept"]
    assert statuses(twice, twice[:1]) == ["kept", "dropped"]


def test_a_boundary_is_a_row_of_its_own() -> None:
    boundary = Boundary("b", Trigger.AUTO, 10).to_message()
    comparison = compare(TALK, [boundary, *TALK])
    assert [row.status for row in comparison.rows] == [Status.ADDED, *[Status.KEPT] * 4]


def test_results_that_gave_way_tell_so_themselves() -> None:
    talk = [answered("", call("a"), call("b")), returned(("a", "x" * 90)), returned(("b", "y" * 90))]
    after = [talk[0], returned(("a", CLEARED)), returned(("b", "<persisted-output>\nat /tmp/b.txt"))]
    assert statuses(talk, after) == ["kept", "cleared", "persisted"]


def test_records_of_the_session_say_why() -> None:
    before = [replace_fields(item, position=index) for index, item in enumerate(TALK)]
    left = [
        LeftOutEntry(0, LeftOutReason.SUMMARISED, 9),
        LeftOutEntry(1, LeftOutReason.SNIPPED, 7),
        LeftOutEntry(2, LeftOutReason.ABANDONED),
    ]
    rows = compare(before, before[3:], causes_of_left_out(left)).rows
    assert [row.status.value for row in rows] == ["summarised", "snipped", "dropped", "kept"]
    assert [row.cause.by for row in rows if row.cause] == [9, 7, None]
    assert rows[2].cause == Cause(Status.DROPPED, "The session went back, and goes on without it.")


def test_what_was_sent_once_left_with_the_others_although_such_records_are_not_always_sent() -> None:
    before = [replace_fields(TALK[0], position=3)]
    rows = compare(before, [], causes_of_left_out([LeftOutEntry(3, LeftOutReason.UNSENT)], start=9)).rows
    assert [(row.status.value, row.cause.by) for row in rows if row.cause] == [("summarised", 9)]


def test_the_report_of_a_full_compaction_says_what_the_summary_stands_for() -> None:
    long = [message for turn in range(6) for message in (typed(f"{turn} " * 900), answered(f"Yes {turn}. " * 600))]
    result, why = made(FULL, long)
    assert result == [*["summarised"] * 12, "added", "added"]
    assert why[0] == "The summary stands for it."


def test_the_reports_of_budget_and_microcompact_name_each_result() -> None:
    result, why = made(BUDGET, [typed("Look"), *loop(2, 60_000)], path="/tmp/{tool_use_id}.txt")
    assert result.count("persisted") == 2
    assert all("50,000" in words for words in why)
    result, why = made(MICROCOMPACT, [typed("Look"), *loop(7)])
    assert result.count("cleared") == 2
    assert why == ["An earlier result of Read."] * 2


def test_what_is_deleted_in_the_cache_alone_is_cleared_although_the_array_keeps_it() -> None:
    result, why = made(MICROCOMPACT, [typed("Look"), *loop(14)], mode="cached", trigger="12", keep="5")
    assert result.count("cleared") == 9
    assert "the array keeps it" in why[0]


def test_the_reports_of_snip_and_collapse_name_what_went() -> None:
    applied = apply_kind(SNIP, [*TALK, typed("Thanks"), answered("Sure.")], Parameters(ids=(TALK[0].uuid,)), now=NOON)
    rows = compare(applied.before, applied.after, causes_of_report(report_of(SNIP, applied, MECHANICAL))).rows
    assert [row.status.value for row in rows] == ["snipped", "snipped", *["kept"] * 4]
    long = [message for turn in range(9) for message in (typed(f"Turn {turn}"), *loop(4, 4_000, prefix=f"t{turn}"))]
    result, _ = made(COLLAPSE, long)
    assert {"collapsed", "added", "kept"} <= set(result)
