from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.mechanisms.engine.report import ChangeKind, Outcome
from compaction.mechanisms.engine.snip.removal import (
    SnipConfig,
    SnipReport,
    relink_parents,
    replay_snips,
    short_id,
    snip,
    tag_inputs,
    untag_inputs,
)
from compaction.mechanisms.engine.snip.state import SnipState
from sessions.transcripts.engine.messages import Message, MessageKind, read_messages
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.spoken import Talk, texts
from tests.sessions.transcripts.engine.talk import (
    answered,
    call,
    pairs,
    returned,
    same_objects,
    sent,
    typed,
    uuid_of,
    whole,
)

TODOS = typed("collect what is left to do")
BUG = typed("leave that, logging in is broken")


def two_turns() -> list[Message]:
    """A search that was given up, and the bug that came between."""
    return [
        TODOS,
        answered("searching", call("toolu_01", "Grep", pattern="TODO", path="src/")),
        returned(("toolu_01", "src/auth/login.ts:42\n" * 23)),
        answered("reading", call("toolu_02", "Read", file_path="src/auth/login.ts")),
        returned(("toolu_02", "x" * 4000)),
        BUG,
        answered("looking", call("toolu_03", "Bash", command="tail -200 error.log")),
        returned(("toolu_03", "500\n" * 200)),
    ]


def report(outcome: Outcome[SnipState]) -> SnipReport:
    assert isinstance(outcome.report, SnipReport)
    return outcome.report


@pytest.mark.parametrize(
    ("uuid", "id"),
    [
        ("ffffffff-ffff-4fff-bfff-ffffffffffff", "e13wu1"),
        ("FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF", "e13wu1"),
        ("3fa85f64-5717-4562-b3fc-2c963f66afa6", "3hlnx8"),
        ("00000001-0000-4000-8000-000000000000", "74"),
        ("00000000-0000-4000-8000-000000000000", "0"),
    ],
)
def test_a_short_id_is_the_beginning_of_the_uuid_in_base_36(uuid: str, id: str) -> None:
    assert short_id(uuid) == id


def test_ids_that_are_no_uuids_have_stable_short_ids_too() -> None:
    assert short_id("u001") == short_id("u001")
    assert short_id("u001") != short_id("u002")
    assert len(short_id("u001")) <= 6


def test_only_inputs_of_people_are_tagged_and_only_in_the_copy() -> None:
    messages = [*two_turns(), Message("user", ({"type": "text", "text": "note"},), MessageKind.INJECTED, "i")]
    copy = tag_inputs(messages)
    assert copy.messages[0].content[-1]["text"].endswith(f"\n[id:{short_id(TODOS.uuid)}]")
    assert [left is right for left, right in zip(copy.messages, messages, strict=True)].count(False) == 2
    assert "[id:" not in sent(messages)
    assert copy.report.tokens_after == estimate(copy.messages) > copy.report.tokens_before


def test_an_input_that_ends_with_a_picture_gets_its_tag_behind_it() -> None:
    (message,) = read_messages([{"role": "user", "content": [{"type": "image", "source": {}}]}])
    assert [block["type"] for block in tag_inputs([message]).messages[0].content] == ["image", "text"]


def test_a_snipped_turn_goes_with_its_calls_and_results() -> None:
    messages = two_turns()
    result = snip(messages, [short_id(TODOS.uuid)], reason="given up")
    assert list(result.messages) == messages[5:]
    assert all(left is right for left, right in zip(result.messages, messages[5:], strict=True))
    assert report(result).removed_uuids == tuple(entry.uuid for entry in messages[:5])
    assert [change.kind for change in result.report.changes] == [ChangeKind.REMOVED] * 5
    assert result.report.changes[0].why == f"Its turn with the id {short_id(TODOS.uuid)} was snipped: given up"
    assert result.report.tokens_after == estimate(result.messages)


def test_the_snip_is_recorded_and_replayed() -> None:
    messages = two_turns()
    result = snip(messages, [short_id(TODOS.uuid)])
    (record,) = result.state.to_records("session")
    assert (record["type"], record["subtype"], record["sessionId"]) == ("system", "snip_boundary", "session")
    assert record["snipMetadata"]["removedUuids"] == [entry.uuid for entry in messages[:5]]
    second = replay_snips(messages, None, SnipState.from_records([record]))
    assert sent(second.messages) == sent(result.messages)


def test_dropping_the_record_restores_the_turn() -> None:
    messages = two_turns()
    result = snip(messages, [short_id(TODOS.uuid)])
    assert replay_snips(messages, None, SnipState.from_records([])).messages is messages
    assert replay_snips(messages, None, result.state.without(result.state.snips[0].uuid)).messages is messages


def test_records_of_other_clients_are_understood() -> None:
    records: list[dict[str, Any]] = [
        {"type": "system", "subtype": "snip-boundary", "snipMetadata": {"removedUuids": ["a", 5]}},
        {"type": "system", "subtype": "snip_boundary", "snipMetadata": "?"},
        {"type": "user"},
    ]
    assert SnipState.from_records(records).removed == {"a"}


def test_unknown_ids_are_reported_and_the_known_ones_go() -> None:
    result = snip(two_turns(), ["zzzzzz", short_id(TODOS.uuid)])
    assert report(result).unknown == ("zzzzzz",)
    assert len(result.messages) == 3
    assert "No input has the id zzzzzz." in result.report.why


def test_a_turn_that_is_gone_cannot_be_named_again() -> None:
    first = snip(two_turns(), [short_id(TODOS.uuid)])
    second = snip(two_turns(), [short_id(TODOS.uuid)], None, first.state)
    assert report(second).unknown == (short_id(TODOS.uuid),)
    assert second.state.snips == first.state.snips


@pytest.mark.parametrize("end", [-2, -1, None])
def test_a_turn_that_is_not_finished_stays(end: int | None) -> None:
    result = snip(two_turns()[:end], [short_id(BUG.uuid)])
    assert report(result).refused == ((short_id(BUG.uuid), "This turn is not finished."),)


def test_the_last_input_stays() -> None:
    result = snip([*two_turns(), answered("found it")], [short_id(BUG.uuid), short_id(TODOS.uuid)])
    assert result.messages[0] is BUG
    assert report(result).refused == ((short_id(BUG.uuid), "No input would be left."),)


def test_an_id_that_two_inputs_share_removes_neither() -> None:
    twins = [typed("a", "same"), answered("1"), typed("b", "same"), answered("2"), typed("c")]
    result = snip(twins, [short_id(uuid_of("same"))])
    assert result.messages is twins
    assert report(result).refused[0][1] == "Several inputs have this id."


def test_a_result_behind_the_next_input_goes_with_its_call() -> None:
    messages = [
        typed("run"),
        answered("", call("toolu_1")),
        typed("while it runs"),
        returned(("toolu_1", "ok")),
        answered("both"),
    ]
    result = snip(messages, [short_id(messages[0].uuid)])
    assert [entry.uuid for entry in result.messages] == [messages[2].uuid, messages[4].uuid]
    assert whole(result.messages)


def test_a_switched_off_snip_changes_nothing() -> None:
    messages = two_turns()
    off = SnipConfig(enabled=False)
    assert snip(messages, [short_id(TODOS.uuid)], off).messages is messages
    assert tag_inputs(messages, off).messages is messages


def test_records_are_hung_on_the_nearest_ancestor_that_is_left() -> None:
    parents = {"a": None, "b": "a", "c": "b", "d": "c", "e": "c", "f": "d"}
    assert relink_parents(parents, ["b", "c"]) == {"d": "a", "e": "a"}
    assert relink_parents(parents, ["a", "b"]) == {"c": None}
    assert relink_parents(parents, []) == {}


def test_a_circle_of_removed_records_ends() -> None:
    assert relink_parents({"a": "b", "b": "a", "c": "a"}, ["a", "b"]) == {"c": None}


def test_a_parent_outside_of_the_records_is_kept() -> None:
    assert relink_parents({"b": "elsewhere", "c": "b"}, ["b"]) == {"c": "elsewhere"}


@given(conversations(), st.data())
def test_a_snip_keeps_pairs_and_counts_tokens_in_any_conversation(messages: list[Message], data: st.DataObject) -> None:
    inputs = [entry for entry in messages if entry.kind is MessageKind.PROMPT]
    chosen = data.draw(st.lists(st.sampled_from(inputs), max_size=4)) if inputs else []
    result = snip(messages, [short_id(entry.uuid) for entry in chosen])
    assert whole(result.messages)
    assert pairs(result.messages)[0] - pairs(result.messages)[1] <= pairs(messages)[0] - pairs(messages)[1]
    assert same_objects(messages, result.messages, set())
    assert result.report.tokens_after == estimate(result.messages) <= result.report.tokens_before == estimate(messages)
    saved = SnipState.from_json(json.loads(json.dumps(result.state.to_json())))
    assert saved == result.state
    assert sent(replay_snips(messages, None, saved).messages) == sent(result.messages)
    for entry in result.state.snips:
        assert sent(replay_snips(messages, None, saved.without(entry.uuid)).messages) == sent(messages)


def test_without_its_tags_the_copy_that_is_sent_is_the_conversation_again() -> None:
    talk = Talk()
    talk.prompt("do it")
    talk.says("done, [id:abcdef]")
    picture = Message("user", ({"type": "image"},), MessageKind.PROMPT, "p")
    messages = [*talk.messages, picture]
    assert untag_inputs(tag_inputs(messages).messages) == messages


def test_what_opens_a_conversation_stays_when_its_first_turn_goes() -> None:
    talk = Talk()
    talk.injected("the rules", "instructions")
    first = talk.prompt("do it")
    talk.injected("the tools", "deferred_tools_delta")
    talk.says("done")
    talk.prompt("go on")
    talk.says("done")
    outcome = snip(talk.messages, [short_id(first.uuid)])
    assert texts(outcome.messages) == ["the rules", "the tools", "go on", "done"]
