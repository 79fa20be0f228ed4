from __future__ import annotations

from compaction.mechanisms.engine.collapse.replay import replay_commits
from compaction.mechanisms.engine.collapse.state import Commit, commit_span
from sessions.transcripts.engine.messages import Message, MessageKind
from tests.sessions.transcripts.engine.talk import loop, said


def talk() -> list[Message]:
    return [said("one"), *loop(4), said("two")]


def test_a_span_gives_way_to_one_placeholder() -> None:
    messages = talk()
    done = replay_commits(messages, [commit_span(messages[1:5], "read two files")])
    assert [one.kind for one in done.messages] == [
        MessageKind.PROMPT,
        MessageKind.SUMMARY,
        *[one.kind for one in messages[5:]],
    ]
    assert "read two files" in done.messages[1].content[0]["text"]
    assert done.messages[1].role == "user"
    assert all(one is other for one, other in zip(done.messages[2:], messages[5:], strict=True))


def test_a_commit_can_stand_for_an_earlier_placeholder() -> None:
    messages = talk()
    first = commit_span(messages[1:3], "read one file")
    second = commit_span([first.placeholder, *messages[3:5]], "read two files")
    done = replay_commits(messages, [first, second])
    assert [one.uuid for one in done.messages] == [
        messages[0].uuid,
        second.summary_uuid,
        *(one.uuid for one in messages[5:]),
    ]
    assert len(done.spans) == 1


def test_commits_that_do_not_fit_are_skipped_and_said_so() -> None:
    messages = talk()
    uuid = [one.uuid for one in messages]
    commits = [
        Commit("gone", "s1", "x", "elsewhere", uuid[2]),
        Commit("splits", "s2", "x", uuid[1], uuid[1]),
        Commit("backwards", "s3", "x", uuid[3], uuid[0]),
        Commit("good", "s4", "x", uuid[1], uuid[4]),
        Commit("overlaps", "s5", "x", uuid[3], uuid[6]),
    ]
    done = replay_commits(messages, commits)
    assert [one.collapse_id for one in done.skipped] == ["gone", "splits", "backwards", "overlaps"]
    assert len(done.messages) == len(messages) - 3


def test_without_commits_the_messages_are_the_same_object() -> None:
    messages = talk()
    assert replay_commits(messages, []).messages is messages
