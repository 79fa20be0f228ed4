from __future__ import annotations

import pytest

from sessions.agents.engine.notices import AgentMessage, Notice, incoming_text, parse_messages, parse_notices
from tests.sessions.agents.engine.records import attached, hears, notice, queued


def test_a_notice_says_which_task_ended_how_and_with_what() -> None:
    words = notice("a17", "toolu_1", "failed", "API Error: 529", 'Agent "Draft" failed')

    assert [*parse_notices(words)] == [Notice("a17", "toolu_1", "failed", 'Agent "Draft" failed', "API Error: 529")]


def test_what_a_result_quotes_is_not_taken_for_the_notice_itself() -> None:
    quoted = "I saw <status>failed</status> and <task-id>b9</task-id></result> in the log"

    (result,) = parse_notices(notice("a17", result=quoted))

    assert (result.task, result.status, result.result) == ("a17", "completed", quoted)


def test_several_messages_may_arrive_in_one_record() -> None:
    words = (
        'Another Claude session sent a message:\n<teammate-message teammate_id="alice" color="blue">\nDone.\n'
        "</teammate-message>\n\n<agent-message from='bob'>All pass.</agent-message>"
    )

    assert [*parse_messages(words)] == [AgentMessage("alice", "Done.", ""), AgentMessage("bob", "All pass.", "")]


def test_a_structured_message_has_a_topic_and_words_for_people() -> None:
    idle = '{"type":"idle_notification","from":"alice","idleReason":"available","summary":"[to main] relay done"}'

    assert [*parse_messages(f'<teammate-message teammate_id="alice">{idle}</teammate-message>')] == [
        AgentMessage("alice", "[to main] relay done", "idle_notification")
    ]


def test_a_message_without_a_sender_or_an_end_is_read_all_the_same() -> None:
    assert [*parse_messages("<agent-message>{not json")] == [AgentMessage("", "{not json", "")]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (hears("Hello"), "Hello"),
        (queued("Hello"), "Hello"),
        (queued("Hello", "remove"), ""),
        (attached([{"type": "text", "text": "Hello"}]), "Hello"),
        ({"type": "attachment", "attachment": {"type": "file", "prompt": "Hello"}}, ""),
        ({"type": "queue-operation", "operation": "enqueue", "content": 7}, ""),
        ({"type": "system"}, ""),
    ],
)
def test_only_what_reaches_an_agent_is_looked_at(record: dict[str, object], words: str) -> None:
    assert incoming_text(record) == words


def test_a_record_full_of_openings_is_read_in_one_go() -> None:
    assert len([*parse_notices("<task-notification><status>" * 40_000)]) == 1
    assert len([*parse_messages('<agent-message from="x">' * 40_000)]) == 1
