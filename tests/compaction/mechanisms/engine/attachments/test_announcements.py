from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compaction.mechanisms.engine.attachments.announcements import announced_again
from sessions.transcripts.engine.messages import Message, replace_fields
from tests.sessions.transcripts.engine.spoken import Talk, texts


class Opened:
    def __init__(self) -> None:
        self.talk = Talk()
        self.records: dict[str, Mapping[str, Any]] = {}

    def tell(self, attachment: str, words: str, **facts: Any) -> Message:
        message = replace_fields(self.talk.injected(words, attachment), position=len(self.talk.messages))
        self.talk.messages[-1] = message
        self.records[message.uuid] = {"attachment": {"type": attachment, **facts}}
        return message

    def anew(self, kept: list[Message] | None = None) -> list[Message]:
        def record(message: Message) -> Mapping[str, Any] | None:
            return self.records.get(message.uuid)

        return list(announced_again(self.talk.messages, kept or [], record, "boundary"))


def test_what_is_given_anew_comes_in_the_order_of_the_client_and_only_once() -> None:
    opened = Opened()
    opened.tell("instructions", "old rules")
    latest = opened.tell("instructions", "rules")
    model = opened.tell("model", "You are a model")
    tools = opened.tell("deferred_tools_delta", "Tools:\nA", addedNames=["A"], addedLines=["A"])
    opened.talk.injected("a hook", "hook_success")
    assert opened.anew() == [tools, model, latest]


def test_a_list_that_changed_is_given_as_it_is_now() -> None:
    opened = Opened()
    opened.tell("deferred_tools_delta", "Tools:\nA\nC\nEnd.", addedNames=["A", "C"], addedLines=["A", "C"])
    opened.tell("deferred_tools_delta", "More", addedNames=["B"], addedLines=["B"], removedNames=["A"], readdedNames=[])
    assert texts(opened.anew()) == ["Tools:\nB\nC\nEnd."]
    opened.tell("deferred_tools_delta", "Again", readdedNames=["A"])
    assert texts(opened.anew()) == ["Tools:\nA\nB\nC\nEnd."]


def test_skills_that_came_later_join_the_list() -> None:
    opened = Opened()
    opened.tell("skill_listing", "Skills:\n\n- run: runs", content="- run: runs")
    opened.tell("skill_listing", "New:\n\n- audit: looks\n  twice", content="- audit: looks\n  twice")
    assert texts(opened.anew()) == ["Skills:\n\n- run: runs\n- audit: looks\n  twice"]


def test_a_server_that_has_left_takes_its_instructions_along() -> None:
    opened = Opened()
    opened.tell("mcp_instructions_delta", "Servers:\ndocs", addedNames=["docs"], addedBlocks=["docs"])
    opened.tell("mcp_instructions_delta", "Gone", removedNames=["docs"])
    assert opened.anew() == []


def test_what_a_later_message_that_stays_says_is_not_repeated() -> None:
    opened = Opened()
    opened.tell("environment", "in /a")
    kept = replace_fields(opened.talk.injected("in /b", "environment"), position=9)
    opened.talk.messages.pop()
    assert opened.anew([kept]) == []
    assert texts(opened.anew([replace_fields(kept, position=0)])) == ["in /a"]


def test_the_date_is_that_of_the_latest_change() -> None:
    opened = Opened()
    opened.tell("date", "Today's date is 2026-11-15.", date="2026-11-15")
    opened.tell("date_change", "The date has changed", newDate="2026-11-16")
    assert texts(opened.anew()) == ["Today's date is 2026-11-16."]
