from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from compaction.mechanisms.engine.report import ChangeKind
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig, limit_tool_results, result_path
from compaction.mechanisms.engine.tool_result_limit.replacements import ContentReplacementState
from sessions.timeline.engine.cards.tool_results import find_result
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.messages import Message, text_block
from sessions.transcripts.engine.rows import Row
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, call, content, pairs, returned, same_objects, sent, typed


def one_result(size: int, tool: str = "Bash") -> list[Message]:
    return [
        typed("show me the log"),
        answered("", call("toolu_abc", tool, command="cat huge.log")),
        returned(("toolu_abc", "é" * size)),
    ]


def test_a_log_of_317_842_characters_leaves_a_preview_and_a_path() -> None:
    messages = one_result(317_842)
    outcome = limit_tool_results(messages, BudgetConfig(path="/project/.claude/tool-results/{tool_use_id}.txt"))
    text = content(outcome.messages, "toolu_abc")
    assert text.startswith("<persisted-output>\n")
    assert text.endswith("</persisted-output>")
    assert "317,842 characters" in text
    assert "/project/.claude/tool-results/toolu_abc.txt" in text
    assert text.count("é") == 1024  # two bytes each
    assert [(item.tool_use_id, item.path, len(item.text)) for item in outcome.persisted] == [
        ("toolu_abc", "/project/.claude/tool-results/toolu_abc.txt", 317_842)
    ]


def test_the_report_says_what_was_saved_and_why() -> None:
    messages = one_result(317_842)
    outcome = limit_tool_results(messages)
    (change,) = outcome.report.changes
    assert (change.kind, change.uuid, change.tool_use_id) == (ChangeKind.REPLACED, messages[2].uuid, "toolu_abc")
    assert change.why == "Bash returned 317,842 characters; one result may have 50,000."
    assert outcome.report.tokens_before == estimate(messages)
    assert outcome.report.tokens_after == estimate(outcome.messages)


def test_a_result_at_the_limit_stays() -> None:
    messages = one_result(50_000)
    outcome = limit_tool_results(messages)
    assert outcome.messages is messages
    assert not outcome.report.applied


def test_a_switched_off_budget_changes_nothing() -> None:
    messages = one_result(60_000)
    assert limit_tool_results(messages, BudgetConfig(enabled=False)).messages is messages


def test_tools_can_have_limits_of_their_own() -> None:
    config = BudgetConfig(per_tool={"Bash": 5_000, "Read": None})
    assert limit_tool_results(one_result(6_000), config).report.applied
    assert not limit_tool_results(one_result(6_000, "Grep"), config).report.applied
    assert not limit_tool_results(one_result(100_000, "Read"), config).report.applied


def parallel(*sizes: int, together: bool = False) -> list[Message]:
    ids = [f"toolu_{number}" for number in range(len(sizes))]
    results = [(id, str(number) * size) for number, (id, size) in enumerate(zip(ids, sizes, strict=True))]
    answers = [answered("", call(id, "Grep"), id="a") for id in ids]
    return [typed("look"), *answers, *([returned(*results)] if together else [returned(item) for item in results])]


@pytest.mark.parametrize("together", [True, False])
def test_the_largest_results_of_one_message_go_until_it_is_inside_its_budget(together: bool) -> None:
    messages = parallel(45_000, 49_000, 47_000, 44_000, 48_000, together=together)
    outcome = limit_tool_results(messages)
    assert [item.tool_use_id for item in outcome.persisted] == ["toolu_1"]
    assert len(content(outcome.messages, "toolu_4")) == 48_000
    assert "233,000 characters" in outcome.report.changes[0].why


def test_what_the_client_has_sent_to_a_file_is_not_sent_again() -> None:
    messages = [
        typed("look"),
        answered("", call("toolu_1")),
        returned(("toolu_1", "<persisted-output>\n" + "x" * 4_000)),
    ]
    assert limit_tool_results(messages, BudgetConfig(per_result=1_000, preview=100)).messages is messages


def test_a_large_result_that_only_begins_like_a_preview_goes_to_a_file() -> None:
    text = "<persisted-output>\n" + "x" * 60_000
    messages = [typed("look"), answered("", call("toolu_1")), returned(("toolu_1", text))]
    assert [item.text for item in limit_tool_results(messages).persisted] == [text]


def test_results_that_stand_between_the_records_of_an_answer_are_one_message() -> None:
    calls = [answered("", call(f"toolu_{number}", "Grep"), id="a") for number in range(5)]
    results = [returned((f"toolu_{number}", "x" * 45_000)) for number in range(5)]
    messages = [typed("look"), *(item for pair in zip(calls, results, strict=True) for item in pair)]
    assert len(limit_tool_results(messages).persisted) == 1


def test_results_of_answers_that_nothing_parts_are_one_message() -> None:
    calls = [answered("", *(call(f"toolu_{item}{number}", "Grep") for number in range(3)), id=item) for item in "ab"]
    results = returned(*((f"toolu_{item}{number}", "x" * 45_000) for item in "ab" for number in range(3)))
    assert len(limit_tool_results([typed("look"), *calls, results]).persisted) == 2


def test_results_of_two_answers_have_a_budget_each() -> None:
    messages = [
        *parallel(45_000, 45_000, 45_000),
        answered("", call("toolu_x"), call("toolu_y"), id="b"),
        returned(("toolu_x", "x" * 45_000), ("toolu_y", "y" * 45_000)),
    ]
    assert not limit_tool_results(messages).report.applied


def test_what_was_sent_in_full_stays_in_full() -> None:
    messages = one_result(60_000)
    first = limit_tool_results(messages, BudgetConfig(per_result=100_000))
    second = limit_tool_results(messages, BudgetConfig(), first.state)
    assert second.messages is messages


def test_a_replacement_has_the_same_bytes_under_other_limits() -> None:
    messages = one_result(60_000)
    first = limit_tool_results(messages)
    second = limit_tool_results(
        messages, BudgetConfig(per_result=1, preview=10, path="elsewhere/{tool_use_id}"), first.state
    )
    assert sent(second.messages) == sent(first.messages)
    assert second.persisted == ()
    assert second.report.changes[0].why == "It was replaced in an earlier call."


def test_a_fork_decides_for_itself_and_leaves_the_parent_alone() -> None:
    parent = limit_tool_results(one_result(60_000)).state
    child = limit_tool_results([*one_result(60_000), *parallel(60_000)], None, parent).state
    assert set(parent.replacements) == {"toolu_abc"}
    assert set(child.replacements) == {"toolu_abc", "toolu_0"}


def test_a_replacement_can_be_undone_for_good() -> None:
    messages = one_result(60_000)
    state = limit_tool_results(messages).state.without("toolu_abc")
    assert limit_tool_results(messages, None, state).messages is messages


def test_dropping_the_record_restores_the_context() -> None:
    messages = one_result(60_000)
    record = limit_tool_results(messages).state.to_record("session", "agent")
    assert record == {
        "type": "content-replacement",
        "sessionId": "session",
        "agentId": "agent",
        "replacements": [
            {"kind": "tool-result", "toolUseId": "toolu_abc", "replacement": record["replacements"][0]["replacement"]}
        ],
    }
    with_it = limit_tool_results(messages, None, ContentReplacementState.from_records([record], messages))
    without = limit_tool_results(messages, None, ContentReplacementState.from_records([], messages))
    assert sent(with_it.messages) == sent(limit_tool_results(messages).messages)
    assert sent(without.messages) == sent(messages)


def test_damaged_records_are_passed_over() -> None:
    records: list[dict[str, Any]] = [
        {"type": "content-replacement", "replacements": None},
        {"type": "content-replacement", "replacements": [1, {"toolUseId": 5}, {"toolUseId": "a", "replacement": "b"}]},
        {"type": "user"},
    ]
    assert ContentReplacementState.from_records(records).replacements == {"a": "b"}


def test_pictures_of_a_large_result_stay_where_they_are() -> None:
    item, other = {"type": "image", "source": {}}, {"type": "image", "source": {"type": "url"}}
    messages = [
        typed("look"),
        answered("", call("toolu_1")),
        returned(("toolu_1", [item, text_block("x" * 60_000), other, text_block("y")])),
    ]
    kept_ids = content(limit_tool_results(messages).messages, "toolu_1")
    assert [part["type"] for part in kept_ids] == ["image", "text", "image"]
    assert kept_ids[0] is item
    assert kept_ids[2] is other


@pytest.mark.parametrize("id", ["../../etc/passwd", "/etc/passwd", "a b", "", "x" * 500, "toolu_\ud800"])
def test_an_id_cannot_lead_out_of_its_folder(id: str) -> None:
    path = result_path(id, BudgetConfig(path="results/{tool_use_id}.txt"))
    assert path.startswith("results/")
    assert "/" not in path.removeprefix("results/")
    assert ".." not in path
    assert path != result_path(id + "?", BudgetConfig(path="results/{tool_use_id}.txt"))


def test_lucid_itself_understands_the_block() -> None:
    replaced = content(limit_tool_results(one_result(60_000)).messages, "toolu_abc")
    record = {"message": {"content": [{"type": "tool_result", "tool_use_id": "toolu_abc", "content": replaced}]}}
    result = find_result(Row(0, 0, 0, "user", "", None, 0, Flag(0), record), "toolu_abc")
    assert result is not None
    assert result.spill is not None
    assert (result.spill.name, result.spill.size) == ("toolu_abc.txt", "60,000 characters")


@given(conversations())
def test_the_budget_keeps_pairs_and_counts_tokens_in_any_conversation(messages: list[Message]) -> None:
    outcome = limit_tool_results(messages)
    assert pairs(outcome.messages) == pairs(messages)
    assert [item.uuid for item in outcome.messages] == [item.uuid for item in messages]
    assert same_objects(messages, outcome.messages, {change.uuid for change in outcome.report.changes})
    assert (
        outcome.report.tokens_after == estimate(outcome.messages) <= outcome.report.tokens_before == estimate(messages)
    )
    assert {item.tool_use_id for item in outcome.persisted} == {change.tool_use_id for change in outcome.report.changes}
    saved = ContentReplacementState.from_json(json.loads(json.dumps(outcome.state.to_json())))
    replayed = ContentReplacementState.from_records([outcome.state.to_record("session")], messages)
    for state in (saved, replayed):
        assert sent(limit_tool_results(messages, None, state).messages) == sent(outcome.messages)
    undone = ContentReplacementState({}, outcome.state.seen)
    assert sent(limit_tool_results(messages, None, undone).messages) == sent(messages)
