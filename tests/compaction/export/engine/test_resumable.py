"""What is exported, read back, is the context that was exported: for every kind, on whatever conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from compaction.export.engine.resumable import Envelope, Origin, Row, resumable_rows, to_jsonl
from compaction.kinds.engine import CompactionResult, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.mechanisms.engine import Direction, Effects, Notes, legal_pivots
from compaction.mechanisms.engine.attachments import FileHistory
from compaction.mechanisms.engine.conversation.standing import is_standing
from compaction.mechanisms.engine.conversation.turns import turns_of
from compaction.mechanisms.engine.snip.removal import short_id
from sessions.context.engine import Context, Log, context_at
from sessions.transcripts.engine.messages import Message, MessageKind, join_messages
from tests.examples import examples
from tests.samples import needs_samples, transcripts
from tests.sessions.context.engine.transcripts import written
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.spoken import Talk

NEW = "5d9c1a62-2f0e-4f3e-8a55-0c1f5b7e9d10"
NOTES = Notes("# Session Title\n_A title_\nTides\n\n# Worklog\n_Steps_\nMany.\n", "/s/summary.md")
DEMO = Path(__file__).parents[4] / "sessions/demo/projects/-home-dev-tidewatch"
REAL = transcripts("realclient")
CORPUS = [path for path in transcripts("corpus") if "agent-" not in path.name and path.stat().st_size < 400_000]
DIRECTIONS = {PARTIAL_FROM: Direction.FROM, PARTIAL_UP_TO: Direction.UP_TO}
SMALL = {
    BUDGET: {"per_result": "400", "preview": "100"},
    SESSION_MEMORY: {"keep_tokens": "200", "keep_text_messages": "1", "keep_most_tokens": "2000"},
    COLLAPSE: {"keep_tokens": "100", "least": "50", "least_score": "0"},
    AUTO: {"percent": "1"},
}


def parameters_of(kind: KindSpec, messages: Sequence[Message], number: int, model: str) -> Parameters | None:
    """Such that there is something to do, if that is possible at all."""
    settings = SMALL.get(kind, {})
    if kind in DIRECTIONS:
        pivots = legal_pivots(messages, DIRECTIONS[kind], model)
        return Parameters(pivot=pivots[number % len(pivots)], settings=settings) if pivots else None
    if kind is SNIP:
        turns = [turn for turn in turns_of(messages) if not turn.is_open]
        if not turns:
            return None
        return Parameters(ids=(short_id(messages[turns[number % len(turns)].first].uuid),))
    return Parameters(settings=settings)


def applied_to(context: Context, kind: KindSpec, number: int = 0) -> CompactionResult | None:
    messages = context.messages
    parameters = parameters_of(kind, messages, number, context.model)
    if parameters is None:
        return None
    effects = Effects(read_notes=lambda: NOTES)
    now = max((message.at or 0.0 for message in messages), default=0.0) + 10
    return apply_kind(kind, messages, parameters, effects=effects, now=now, model=context.model)


def records_of(log: Log) -> Callable[[Message], Mapping[str, Any] | None]:
    return lambda message: None if message.position is None else log.record(message.position)


def exported(log: Log, applied: CompactionResult, version: str = "2.1.325") -> list[Row]:
    envelope = Envelope(NEW, "/home/dev/elsewhere", version, "main", 1_790_500_000.0)
    return resumable_rows(applied.after, records_of(log), envelope, compaction=applied.compaction)


def check(log: Log, applied: CompactionResult) -> None:
    rows = exported(log, applied)
    second = context_at(Log(to_jsonl(rows)))
    assert join_messages(second.messages) == join_messages(applied.after)
    well_formed(rows)


def well_formed(rows: list[Row]) -> None:
    uuids = [row["uuid"] for row in rows]
    assert len(set(uuids)) == len(uuids)
    assert {row["sessionId"] for row in rows} <= {NEW}
    assert {row["cwd"] for row in rows} <= {"/home/dev/elsewhere"}
    seen: set[str] = set()
    for row in rows:
        assert row["parentUuid"] is None or row["parentUuid"] in seen
        assert row.get("sourceToolAssistantUUID") is None or row["sourceToolAssistantUUID"] in seen
        seen.add(row["uuid"])
    roots = [row for row in rows if row["parentUuid"] is None]
    assert len(roots) <= 2
    assert all(row["type"] == "system" for row in roots[1:])


@pytest.mark.slow
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(conversations(), st.sampled_from(KINDS), st.integers(0, 20))
def test_an_export_read_back_is_the_compacted_context(messages: list[Message], kind: KindSpec, number: int) -> None:
    log = Log(written(messages))
    context = context_at(log)
    applied = applied_to(context, kind, number)
    if applied is not None:
        # Answers alone tell which model is asked. Without one, reminders stay in the role that their records have.
        answered = any(message.kind is MessageKind.ANSWER for message in applied.after)
        assume(answered or not any(message.role == "system" for message in messages))
        check(log, applied)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("path", sorted(DEMO.glob("*.jsonl")), ids=lambda path: path.stem[:8])
def test_an_export_of_the_demo_read_back_is_the_compacted_context(path: Path, kind: KindSpec) -> None:
    log = Log(path.read_bytes())
    context = context_at(log)
    for number in (0, 3, 11):
        applied = applied_to(context, kind, number)
        if applied is not None:
            check(log, applied)


@needs_samples
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_export_of_a_recording_read_back_is_the_compacted_context(kind: KindSpec) -> None:
    done = 0
    for path in (*(path for path in REAL if "agent-" not in path.name), *CORPUS[:20]):
        log = Log(path.read_bytes())
        context = context_at(log)
        for number in (0, 5):
            applied = applied_to(context, kind, number)
            if applied is not None:
                check(log, applied)
                done += applied.done
    assert done > 0


def test_the_demo_is_changed_by_every_kind() -> None:
    log = Log((DEMO / "7446aeed-5c8c-513e-a5af-e6bd525f2f4a.jsonl").read_bytes())
    context = context_at(log)
    for kind in KINDS:
        result = [applied_to(context, kind, number) for number in (0, 1, 2, 3)]
        assert any(applied is not None and applied.done for applied in result), kind


def compacted(kind: KindSpec = PARTIAL_UP_TO) -> list[Row]:
    log = Log((DEMO / "7446aeed-5c8c-513e-a5af-e6bd525f2f4a.jsonl").read_bytes())
    applied = applied_to(context_at(log), kind, 7)
    assert applied is not None
    assert applied.done
    return exported(log, applied)


def test_it_begins_with_the_boundary_and_the_summary() -> None:
    boundary, summary, *kept = compacted()
    assert (boundary["subtype"], boundary["parentUuid"]) == ("compact_boundary", None)
    assert summary["isCompactSummary"] is True
    assert summary["parentUuid"] == boundary["uuid"]
    assert summary["summarizeMetadata"]["direction"] == "up_to"
    metadata = boundary["compactMetadata"]
    assert metadata["trigger"] == "manual"
    assert metadata["preservedSegment"]["headUuid"] == kept[0]["uuid"]
    assert metadata["preservedSegment"]["anchorUuid"] == summary["uuid"]
    assert set(metadata["preservedMessages"]["uuids"]) <= {row["uuid"] for row in kept}


def test_what_is_kept_above_the_summary_stands_before_the_boundary() -> None:
    rows = compacted(PARTIAL_FROM)
    index = next(index for index, row in enumerate(rows) if row.get("subtype") == "compact_boundary")
    assert index > 0
    segment = rows[index]["compactMetadata"]["preservedSegment"]
    assert (segment["headUuid"], segment["tailUuid"]) == (rows[0]["uuid"], rows[index - 1]["uuid"])
    assert segment["anchorUuid"] == rows[index]["uuid"] == rows[index + 1]["parentUuid"]


def test_kept_answers_do_not_count_tokens_again() -> None:
    usages = [row["message"]["usage"] for row in compacted() if row["type"] == "assistant"]
    assert usages
    assert all(set(usage.values()) == {0} for usage in usages)


def attaching(kind: KindSpec, version: str = "2.1.325") -> tuple[CompactionResult, list[Row]]:
    """A compaction after which a file is attached, and what is written of it."""
    log = Log((DEMO / "7446aeed-5c8c-513e-a5af-e6bd525f2f4a.jsonl").read_bytes())
    context = context_at(log)
    effects = Effects(read_notes=lambda: NOTES, read_file=FileHistory.of(context.messages).read)
    applied = apply_kind(kind, context.messages, Parameters(settings=SMALL.get(kind, {})), effects=effects, now=1.0)
    return applied, exported(log, applied, version)


def test_what_is_attached_to_a_summary_stands_in_its_row() -> None:
    """The client would answer a row of its own as if a person had been cut off."""
    applied, rows = attaching(FULL)
    assert applied.compaction is not None
    assert len(applied.compaction.inserted) > 1
    standing = [message for message in applied.compaction.inserted if is_standing(message)]
    assert [row["type"] for row in rows] == ["system", "user", *("attachment" for _ in standing)]
    words = sum(len(message.content) for message in applied.compaction.inserted if not is_standing(message))
    assert len(rows[1]["message"]["content"]) == words > 1
    assert join_messages(context_at(Log(to_jsonl(rows))).messages) == join_messages(applied.after)


def test_what_is_attached_behind_kept_messages_is_a_note() -> None:
    applied, rows = attaching(SESSION_MEMORY)
    assert applied.compaction is not None
    assert applied.compaction.appended
    note = next(row for row in rows if row.get("attachment", {}).get("type") == "critical_system_reminder")
    assert note["renderedRole"] == "user"
    attached = next(message for message in applied.compaction.appended if not is_standing(message))
    assert [shown["content"] for shown in note["rendered"]] == [block["text"] for block in attached.content]


def test_what_is_given_anew_is_written_as_the_client_recorded_it() -> None:
    """So that the client that resumes it does not give it once more."""
    applied, rows = attaching(FULL)
    assert applied.compaction is not None
    given = [message.attachment for message in applied.compaction.inserted if is_standing(message)]
    assert [row["attachment"]["type"] for row in rows if row["type"] == "attachment"] == given
    assert {"instructions", "deferred_tools_delta", "environment"} <= set(given)
    assert join_messages(context_at(Log(to_jsonl(rows))).messages) == join_messages(applied.after)


def test_what_is_given_anew_has_the_time_of_the_compaction() -> None:
    """Some clients read attachments in the order of their times, and these come last."""
    applied, rows = attaching(FULL)
    assert applied.compaction is not None
    boundary, *others = rows
    attached = [row for row in others if row["type"] == "attachment"]
    assert len(attached) > 3
    assert {row["timestamp"] for row in attached} == {boundary["timestamp"]}


def test_the_last_rows_say_where_it_comes_from_and_what_it_is_called() -> None:
    log = Log((DEMO / "7446aeed-5c8c-513e-a5af-e6bd525f2f4a.jsonl").read_bytes())
    applied = applied_to(context_at(log), FULL)
    assert applied is not None
    envelope = Envelope(NEW, "/home/dev/elsewhere", "2.1.325", title="Alerts")
    rows = resumable_rows(
        applied.after, records_of(log), envelope, compaction=applied.compaction, origin=Origin("old", "full", 7)
    )
    assert rows[-2]["attachment"] == {"type": "lucid_export", "session": "old", "kind": "full", "run": 7}
    assert rows[-2]["parentUuid"] == rows[-3]["uuid"]
    assert rows[-1] == {"type": "custom-title", "customTitle": "Alerts", "sessionId": NEW}
    assert join_messages(context_at(Log(to_jsonl(rows))).messages) == join_messages(applied.after)


def test_the_last_row_is_the_latest_because_old_clients_go_on_from_that() -> None:
    log = Log((DEMO / "7446aeed-5c8c-513e-a5af-e6bd525f2f4a.jsonl").read_bytes())
    applied = applied_to(context_at(log), FULL)
    assert applied is not None
    envelope = Envelope(NEW, "/home/dev/elsewhere", "2.0.76", made_at=1_800_000_000.9995)
    *others, last = resumable_rows(
        applied.after, records_of(log), envelope, compaction=applied.compaction, origin=Origin("old", "full", 7)
    )
    assert all(row["timestamp"] < last["timestamp"] for row in others)


def test_an_export_ends_with_an_answer_for_versions_that_take_a_note_for_the_middle_of_a_turn() -> None:
    log = Log((DEMO / "7446aeed-5c8c-513e-a5af-e6bd525f2f4a.jsonl").read_bytes())
    applied = applied_to(context_at(log), FULL)
    assert applied is not None
    rows = resumable_rows(
        applied.after,
        records_of(log),
        Envelope(NEW, "/home/dev/elsewhere", "2.1.120", made_at=1_800_000_000.9995),
        compaction=applied.compaction,
        origin=Origin("old", "full", 7),
    )
    types = [row["type"] for row in rows]
    assert types == ["system", *["attachment"] * (len(rows) - 3), "user", "assistant"]
    assert len(rows) > 3
    last = rows[-1]
    assert (last["type"], last["isApiErrorMessage"], last["parentUuid"]) == ("assistant", True, rows[-2]["uuid"])
    assert last["message"]["content"][0]["text"] == "This session was made from old: full, run 7."
    assert all(row["timestamp"] < rows[-1]["timestamp"] for row in rows[:-1])
    boundary, *notes, summary, last = rows
    as_written_by_others = _linked([boundary, summary, *notes, last])
    sent, usually = (context_at(Log(to_jsonl(order))).elements for order in (rows, as_written_by_others))
    assert [element.to_api() for element in sent] == [element.to_api() for element in usually]


def test_nothing_is_attached_behind_kept_messages_for_versions_that_take_a_note_for_the_middle_of_a_turn() -> None:
    applied, usual = attaching(SESSION_MEMORY)
    assert applied.compaction is not None
    _, rows = attaching(SESSION_MEMORY, version="2.1.160")
    assert usual[-1]["type"] == "attachment"
    assert rows[-1]["type"] != "attachment"
    (place,) = (index for index, row in enumerate(rows) if row.get("isCompactSummary"))
    assert place > 1
    assert {row["type"] for row in rows[1:place]} == {"attachment"}
    assert [row["parentUuid"] for row in rows[1 : place + 1]] == [row["uuid"] for row in rows[:place]]
    metadata = rows[0]["compactMetadata"]
    assert metadata["preservedSegment"]["tailUuid"] == rows[-1]["uuid"]


def _linked(rows: list[Row]) -> list[Row]:
    parents = [None, *(row["uuid"] for row in rows)]
    return [{**row, "parentUuid": parent} for row, parent in zip(rows, parents, strict=False)]


def test_a_summary_is_no_input_of_a_person() -> None:
    log = Log(to_jsonl(compacted(FULL)))
    first = context_at(log).messages[0]
    assert first.kind is MessageKind.SUMMARY


def test_words_that_no_encoding_takes_are_written_all_the_same() -> None:
    talk = Talk()
    talk.prompt("Half of a pair: \ud83d")
    talk.reads("/work/a.txt", "x" * 9_000)
    talk.says("Seen.")
    log = Log(written(talk.messages))
    applied = applied_to(context_at(log), BUDGET)
    assert applied is not None
    assert applied.done
    check(log, applied)


def test_what_a_result_said_before_is_not_repeated_beside_it() -> None:
    talk = Talk()
    talk.prompt("Read it.")
    talk.reads("/work/a.txt", "x" * 9_000)
    talk.reads("/work/b.txt", "short")
    talk.says("Seen.")
    log = Log(written(talk.messages))
    applied = applied_to(context_at(log), BUDGET)
    assert applied is not None
    results = [row for row in exported(log, applied) if row["message"]["content"][0].get("type") == "tool_result"]
    assert ["toolUseResult" in row for row in results] == [False, True]
