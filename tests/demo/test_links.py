"""The links between records, as the format says that they are."""

from __future__ import annotations

import json

import pytest

from tests.demo import names
from tests.demo.reading import Record, calls, records, results

LABELS = names.labels()
OLD = {"old", "sibling", "sibling/largest"}


def by_uuid(rows: list[Record]) -> dict[str, Record]:
    return {row["uuid"]: row for row in rows if "uuid" in row}


def rows_of(label: str) -> list[Record]:
    return records(names.expected(label).path)


@pytest.mark.parametrize("label", LABELS)
def test_every_parent_is_in_the_file(label: str) -> None:
    rows = rows_of(label)
    known = by_uuid(rows)
    assert [row for row in rows if row.get("parentUuid") and row["parentUuid"] not in known] == []


@pytest.mark.parametrize("label", LABELS)
def test_every_call_has_its_result_and_hangs_on_it(label: str) -> None:
    rows = rows_of(label)
    called = calls(rows)
    answered = dict(results(rows))
    assert set(called) == set(answered)
    for ident, row in answered.items():
        assert row["parentUuid"] == called[ident]["uuid"]
        if label not in OLD:
            assert row["sourceToolAssistantUUID"] == row["parentUuid"]


@pytest.mark.parametrize("label", LABELS)
def test_rows_of_one_message_share_their_request_and_their_usage_only_grows(label: str) -> None:
    groups: dict[str, list[Record]] = {}
    for row in rows_of(label):
        if row["type"] == "assistant":
            groups.setdefault(row["message"]["id"], []).append(row)
    for group in groups.values():
        assert len({row.get("requestId") for row in group}) == 1
        outputs = [row["message"]["usage"]["output_tokens"] for row in group]
        assert outputs == sorted(outputs)


def test_the_last_leaf_is_the_end_of_the_conversation() -> None:
    rows = rows_of("long")
    leaves = [row for row in rows if row["type"] == "last-prompt"]
    chained = [row["uuid"] for row in rows if "parentUuid" in row]
    assert leaves[-1]["leafUuid"] == chained[-1] == names.uuid("long", "away summary")


def test_the_rewind_leaves_two_prompts_under_one_row() -> None:
    rows = rows_of("long")
    back = names.uuid("long", "shell line output")
    assert [row["uuid"] for row in rows if row.get("parentUuid") == back] == [
        names.uuid("long", "rename"),
        names.uuid("long", "instead"),
    ]


@pytest.mark.parametrize(("label", "name"), [("long", "manual"), ("long", "auto")])
def test_variant_a_goes_on_from_the_summary(label: str, name: str) -> None:
    rows = rows_of(label)
    boundary = by_uuid(rows)[names.uuid(label, f"{name} boundary")]
    kept = boundary["compactMetadata"]["preservedMessages"]["uuids"]
    kept_names = [names_of(rows, uuid) for uuid in kept]
    assert kept_names == sorted(kept_names)
    assert kept_names[-1] < names.point(label, f"{name} boundary").position
    after = rows[names.point(label, f"{name} summary").position + 1]
    assert after["parentUuid"] == names.uuid(label, f"{name} summary")


def names_of(rows: list[Record], uuid: str) -> int:
    return next(index for index, row in enumerate(rows) if row.get("uuid") == uuid)


def test_the_automatic_one_names_a_row_that_was_never_written() -> None:
    rows = rows_of("long")
    kept = by_uuid(rows)[names.uuid("long", "auto boundary")]["compactMetadata"]["preservedMessages"]
    assert len(set(kept["allUuids"]) - set(by_uuid(rows))) == 1
    assert set(kept["uuids"]) < set(kept["allUuids"])


def test_variant_b_goes_on_from_the_last_kept_row() -> None:
    rows = rows_of("fork")
    boundary = by_uuid(rows)[names.uuid("fork", "fork manual boundary")]
    after = rows[names.point("fork", "fork manual summary").position + 1]
    assert after["parentUuid"] == boundary["compactMetadata"]["preservedSegment"]["tailUuid"]


def test_variant_c_writes_the_kept_rows_again() -> None:
    rows = rows_of("sibling")
    boundary = by_uuid(rows)[names.uuid("sibling", "sibling boundary")]
    kept = boundary["compactMetadata"]["preservedMessages"]["uuids"]
    position = names.point("sibling", "sibling summary").position
    second = rows[position + 1 : position + 1 + len(kept)]
    assert [row["uuid"] for row in second] == kept
    assert [row["parentUuid"] for row in second] == [names.uuid("sibling", "sibling summary"), *kept[:-1]]


def test_the_old_compaction_has_no_boundary() -> None:
    rows = rows_of("old")
    assert [row for row in rows if row["type"] == "system"] == []
    assert by_uuid(rows)[names.uuid("old", "old summary")]["parentUuid"] is None


def test_the_fork_has_the_same_rows_under_another_session() -> None:
    origin, fork = by_uuid(rows_of("long")), rows_of("fork")
    first = names.point("fork", "fork prompt").position
    copies = [row for row in fork[:first] if "uuid" in row]
    assert len(copies) > 80
    for row in copies:
        mine = {"sessionId": names.LONG, **({"session_id": names.LONG} if "session_id" in row else {})}
        assert row | mine == origin[row["uuid"]]
    assert not {row["uuid"] for row in fork[first:] if "uuid" in row} & set(origin)


def test_the_fork_is_continued_in_the_session_that_begins_with_clear() -> None:
    last = rows_of("fork")[-1]
    assert last["continuedInSessionId"] == names.CLEARED
    assert "/clear" in rows_of("cleared")[1]["message"]["content"]


def test_snipped_and_cleared_records_exist() -> None:
    rows = rows_of("long")
    known = by_uuid(rows)
    assert set(known[names.uuid("long", "snip")]["snipMetadata"]["removedUuids"]) <= set(known)
    cleared = known[names.uuid("long", "cleared results")]["microcompactMetadata"]["compactedToolIds"]
    assert set(cleared) <= set(calls(rows))


def test_agents_say_who_started_them() -> None:
    folder = names.PROJECT / names.SURVEY / "subagents"
    cards = {path.name: json.loads(path.read_text("utf-8")) for path in folder.glob("*.meta.json")}
    nested = cards[f"agent-{names.AGENT_TABLE_FOUR}.meta.json"]
    assert (nested["parentAgentId"], nested["spawnDepth"]) == (names.AGENT_CONSTANTS, 2)
    assert nested["toolUseId"] in calls(rows_of("survey/constants"))
    started = calls(rows_of("survey"))
    for ident in (names.AGENT_CONSTANTS, names.AGENT_HEIGHTS, names.AGENT_NOTE):
        assert cards[f"agent-{ident}.meta.json"]["toolUseId"] in started
    assert not cards[f"agent-{names.AGENT_NOTE}.meta.json"]["finished"]


def test_the_inline_agent_has_no_id_and_the_prompt_of_its_task() -> None:
    rows = rows_of("old")
    inline = [row for row in rows if row.get("isSidechain")]
    task = by_uuid(rows)[names.uuid("old", "task")]["message"]["content"][0]["input"]["prompt"]
    assert inline[0]["message"]["content"] == task
    assert not any("agentId" in row for row in inline)
