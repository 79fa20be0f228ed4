from __future__ import annotations

from typing import Any

import pytest

from sessions.agents.engine import Mail, MailKind, RecordPosition
from sessions.agents.engine.mail import EVERYONE, MAIN, AddressBook, MailReader, merge_copies
from tests.sessions.agents.engine.records import attached, calls, gets, hears, notice, queued, record_at


def post(*records: tuple[dict[str, Any], RecordPosition], started: dict[str, str] | None = None) -> MailReader:
    started = started or {}
    office = MailReader(AddressBook({"a1", "a2", *started.values()}, started))
    for record, spot in records:
        office.read(record, spot)
    return office


def sent(*records: tuple[dict[str, Any], RecordPosition], started: dict[str, str] | None = None) -> list[Mail]:
    return merge_copies(post(*records, started=started).mails)


def brief(mail: Mail) -> tuple[str, str, str, str]:
    return mail.kind.value, mail.sender, mail.recipient, mail.words


def test_a_call_sends_a_task_down_and_its_result_comes_up() -> None:
    result = sent(
        (calls("Task", "t1", description="Count tides", prompt="Please count"), record_at(1)),
        (gets("t1", "There are four"), record_at(5)),
        started={"t1": "a1"},
    )

    assert [brief(item) for item in result] == [
        ("task", MAIN, "a1", "Count tides"),
        ("result", "a1", MAIN, "There are four"),
    ]
    assert [item.spot.position for item in result] == [1, 5]


def test_an_agent_in_the_background_reports_by_a_notice_which_is_one_message_however_often_it_stands_there() -> None:
    words = notice("a1", "t1", result="There are four")
    result = sent(
        (calls("Agent", "t1", description="Count tides"), record_at(1)),
        (gets("t1", "Async agent launched", status="async_launched", isAsync=True), record_at(2)),
        (queued(words), record_at(5)),
        (queued(words, "remove"), record_at(6)),
        (attached(words), record_at(7)),
        started={"t1": "a1"},
    )

    assert [brief(item)[:3] for item in result] == [("task", MAIN, "a1"), ("notice", "a1", MAIN)]
    assert (result[1].sent, result[1].received) == (record_at(5), record_at(7))
    assert (result[1].topic, result[1].failed) == ("completed", False)


def test_a_notice_that_never_arrived_is_shown_where_it_waits() -> None:
    (message,) = sent((queued(notice("a1", status="failed", result="Overloaded")), record_at(5)))

    assert (message.sent, message.received, message.failed) == (record_at(5), None, True)


def test_the_same_words_twice_are_two_messages() -> None:
    words = notice("a1", result="Nothing new")
    result = sent(
        (queued(words), record_at(1)),
        (attached(words), record_at(2)),
        (queued(words), record_at(3)),
        (hears(words), record_at(4)),
    )

    assert [(item.sent, item.received) for item in result] == [
        (record_at(1), record_at(2)),
        (record_at(3), record_at(4)),
    ]


def test_notices_of_commands_are_counted_and_left_out() -> None:
    command = notice("b7", "toolu_bash", summary='Background command "make" completed')
    office = post((queued(command), record_at(1)), (hears(command), record_at(2)))

    assert (office.mails, office.commands) == ([], 1)


def test_a_message_is_one_where_it_was_sent_and_where_it_arrived() -> None:
    result = sent(
        (calls("Agent", "t1", name="alice", description="Relay"), record_at(1)),
        (calls("SendMessage", "t2", to="alice", message="Look at  relay.py", summary="relay"), record_at(2)),
        (hears('<agent-message from="team-lead">\nLook at relay.py\n</agent-message>'), record_at(1, "a1", 3_000)),
        started={"t1": "a1"},
    )

    assert [brief(item)[:3] for item in result] == [("task", MAIN, "a1"), ("message", MAIN, "a1")]
    assert (result[1].sent, result[1].received) == (record_at(2), RecordPosition("a1", 1, 3_000))


def test_a_message_that_waits_with_its_recipient_is_still_the_one_that_was_sent() -> None:
    letter = '<agent-message from="alice">Done</agent-message>'
    result = sent(
        (calls("Agent", "t1", name="alice"), record_at(1)),
        (queued(letter), record_at(8)),
        (hears(letter), record_at(9)),
        (calls("SendMessage", "t5", to="main", message="Done"), record_at(4, "a1", 7_500)),
        started={"t1": "a1"},
    )

    assert [(brief(item)[:3], item.sent, item.received) for item in result[1:]] == [
        (("message", "a1", MAIN), RecordPosition("a1", 4, 7_500), record_at(9))
    ]


@pytest.mark.parametrize(
    ("given", "recipient", "words", "topic"),
    [
        ({"to": "a2", "message": "Go on"}, "a2", "Go on", ""),
        ({"type": "message", "recipient": "bob", "content": "Go on"}, "?bob", "Go on", ""),
        (
            {"type": "shutdown_request", "recipient": "bob@team", "content": "Thanks"},
            "?bob",
            "Thanks",
            "shutdown_request",
        ),
        ({"to": "*", "message": "All stop"}, EVERYONE, "All stop", ""),
        ({"type": "broadcast", "content": "All stop"}, EVERYONE, "All stop", ""),
        (
            {"to": "team-lead", "message": {"type": "plan_approval_response", "approve": True, "feedback": "Fine"}},
            MAIN,
            "Fine",
            "plan_approval_response",
        ),
        ({"message": "To whom?"}, "?", "To whom?", ""),
        ({}, "?", "", ""),
    ],
)
def test_every_form_of_a_message_is_read(given: dict[str, Any], recipient: str, words: str, topic: str) -> None:
    (message,) = sent((calls("SendMessage", "t1", **given), record_at(1, "a1")))

    assert (brief(message), message.topic) == (("message", "a1", recipient, words), topic)


def test_a_message_that_could_not_be_sent_says_so() -> None:
    (message,) = sent(
        (calls("SendMessage", "t1", to="nobody", message="Hello"), record_at(1)),
        (gets("t1", "No agent named nobody", error=True), record_at(2)),
    )

    assert (message.recipient, message.failed) == ("?nobody", True)


def test_asking_for_output_and_stopping_are_messages_to_agents_but_not_to_commands() -> None:
    result = sent(
        (calls("TaskOutput", "t1", task_id="a1"), record_at(1)),
        (gets("t1", "still counting"), record_at(2)),
        (calls("TaskStop", "t2", task_id="a1"), record_at(3)),
        (calls("TaskStop", "t3", task_id="b463a86"), record_at(4)),
    )

    assert [brief(item)[:3] for item in result] == [("asks", MAIN, "a1"), ("result", "a1", MAIN), ("stop", MAIN, "a1")]


def test_an_agent_whose_transcript_is_elsewhere_goes_by_its_name() -> None:
    result = sent(
        (calls("Agent", "t1", name="reviewer", description="Review"), record_at(1)),
        (gets("t1", "Spawned", status="teammate_spawned"), record_at(2)),
        (hears('<teammate-message teammate_id="reviewer">Revise</teammate-message>'), record_at(3)),
        (calls("Agent", "t2", description="Nameless"), record_at(4)),
        (hears(notice("gone", "t2", result="Found it")), record_at(5)),
    )

    assert [(item.sender, item.recipient) for item in result] == [
        (MAIN, "?reviewer"),
        ("?reviewer", MAIN),
        (MAIN, "?"),
        ("?", MAIN),
    ]


def test_what_is_no_record_of_a_message_is_passed_over() -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"type": "assistant"},
        {"type": "user", "message": {"content": [7, None, {"type": "tool_result"}]}},
        calls("Read", "t1", file_path="a.py"),
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": ["Task"], "input": "x", "id": 3}]}},
    ]

    assert sent(*((record, record_at(number)) for number, record in enumerate(odd))) == []


def test_messages_stand_in_order_of_time_and_those_without_one_last() -> None:
    result = sent(
        (calls("SendMessage", "t1", to="a1", message="late"), record_at(1, "", 9_000)),
        (calls("SendMessage", "t2", to="a1", message="timeless"), RecordPosition("", 2, None)),
        (calls("SendMessage", "t3", to="a2", message="early"), record_at(3, "", 1_000)),
    )

    assert [item.words for item in result] == ["early", "late", "timeless"]
    assert {item.kind for item in result} == {MailKind.MESSAGE}
