from __future__ import annotations

from typing import Any

import pytest

from sessions.linking.engine import AgentFacts, Evidence, Sighting, find_sightings

NOTE = "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n</task-notification>"


def result(content: object, **record: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content}
    return {"type": "user", "message": {"content": [block]}, **record}


@pytest.mark.parametrize(
    ("record", "how"),
    [
        (result("done", toolUseResult={"agentId": "a1", "status": "completed"}), Evidence.RESULT),
        (result("Done.\nagentId: a1 (for resuming)\n<usage>…</usage>"), Evidence.TEXT),
        (result([{"type": "text", "text": "Done."}, {"type": "text", "text": "agentId: a1 (x)"}]), Evidence.TEXT),
        (
            {
                "type": "progress",
                "parentToolUseID": "toolu_1",
                "toolUseID": "agent_msg_1",
                "data": {"type": "agent_progress", "agentId": "a1"},
            },
            Evidence.PROGRESS,
        ),
        ({"type": "user", "message": {"content": NOTE}}, Evidence.NOTIFICATION),
        ({"type": "queue-operation", "operation": "enqueue", "content": NOTE}, Evidence.NOTIFICATION),
        ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": NOTE}}, Evidence.NOTIFICATION),
        ({"type": "attachment", "attachment": {"prompt": [{"type": "text", "text": NOTE}]}}, Evidence.NOTIFICATION),
    ],
)
def test_ids_of_agents_are_found_in_the_records_of_their_owners(record: dict[str, Any], how: Evidence) -> None:
    assert list(find_sightings(record, "owner")) == [Sighting("a1", "toolu_1", "owner", how)]


def test_a_notification_without_a_call_still_names_its_task() -> None:
    record = {"type": "queue-operation", "content": "<task-notification><task-id>a1</task-id>"}

    assert list(find_sightings(record, "")) == [Sighting("a1", "", "", Evidence.NOTIFICATION)]


def test_of_several_ids_in_one_result_the_last_counts() -> None:
    assert [sighting.agent for sighting in find_sightings(result("agentId: quoted\nagentId: real (x)"), "")] == ["real"]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"type": "user"},
        {"type": "user", "message": {"content": "agentId: a1"}},
        {"type": "user", "message": "text", "toolUseResult": {"agentId": "a1"}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": 7}, 3]}, "toolUseResult": [1]},
        {"type": "progress", "data": {"type": "agent_progress", "agentId": 4}},
        {"type": "progress", "data": {"type": "bash_progress", "agentId": "a1"}},
        {"type": "queue-operation", "content": [1, {"text": None}]},
        {"type": "attachment", "attachment": []},
    ],
)
def test_nonsense_holds_no_sighting_of_an_agent(record: dict[str, Any]) -> None:
    assert list(find_sightings(record, "")) == []


def test_facts_come_from_the_meta_file() -> None:
    meta = {"agentType": "Explore", "toolUseId": "toolu_1", "parentAgentId": "a0", "spawnDepth": 2}

    assert AgentFacts.from_meta("a1", meta) == AgentFacts("a1", "toolu_1", "a0", 2)
    assert AgentFacts.from_meta("a1", {"toolUseId": 3, "spawnDepth": True}) == AgentFacts("a1")
