from __future__ import annotations

from compaction.mechanisms.engine.collapse.replay import replay_commits
from compaction.mechanisms.engine.collapse.state import Commit, commit_span
from sessions.transcripts.engine.messages import Message, MessageKind
from tests.sessions.transcripts.engine.talk import loop, typed


def talk() -> list[Message]:
    return [typed("one"), *loop(4), typed("two")]


def test_a_span_gives_way_to_one_placeholder() -> None:
    messages = talk()
    outcome = replay_commits(messages, [commit_span(messages[1:5], "read two files")])
    assert [message.kind for message in outcome.messages] == [
        MessageKind.PROMPT,
        MessageKind.SUMMARY,
        *[message.kind for message in messages[5:]],
    ]
    assert "read two files" in outcome.messages[1].content[0]["text"]
    assert outcome.messages[1].role == "user"
    assert all(left is right for left, right in zip(outcome.messages[2:], messages[5:], strict=True))


def test_a_commit_can_stand_for_an_earlier_placeholder() -> None:
    messages = talk()
    first = commit_span(messages[1:3], "read one file")
    second = commit_span([first.placeholder, *messages[3:5]], "read two files")
    outcome = replay_commits(messages, [first, second])
    assert [message.uuid for message in outcome.messages] == [
        messages[0].uuid,
        second.summary_uuid,
        *(message.uuid for message in messages[5:]),
    ]
    assert len(outcome.spans) == 1


def test_commits_that_do_not_fit_are_skipped_and_said_so() -> None:
    messages = talk()
    uuid = [message.uuid for message in messages]
    commits = [
        Commit("gone", "s1", "x", "elsewhere", uuid[2]),
        Commit("splits", "s2", "x", uuid[1], uuid[1]),
        Commit("backwards", "s3", "x", uuid[3], uuid[0]),
        Commit("good", "s4", "x", uuid[1], uuid[4]),
        Commit("overlaps", "s5", "x", uuid[3], uuid[6]),
    ]
    outcome = replay_commits(messages, commits)
    assert [message.collapse_id for message in outcome.skipped] == ["gone", "splits", "backwards", "overlaps"]
    assert len(outcome.messages) == len(messages) - 3


def test_without_commits_the_messages_are_the_same_object() -> None:
    messages = talk()
    assert replay_commits(messages, []).messages is messages
