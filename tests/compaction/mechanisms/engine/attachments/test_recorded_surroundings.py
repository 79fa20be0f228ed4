from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compaction.mechanisms.engine.attachments import (
    BackgroundAgent,
    ClientProcess,
    FileHistory,
    Plan,
    Surroundings,
    surroundings_of,
)
from sessions.transcripts.engine.messages import Message, replace_fields
from tests.sessions.transcripts.engine.spoken import Talk


class Recorded:
    def __init__(self) -> None:
        self.talk = Talk()
        self.records: dict[str, Mapping[str, Any]] = {}

    def attach(self, attachment: str, **facts: Any) -> Message:
        message = self.talk.injected(attachment, attachment)
        self.records[message.uuid] = {"attachment": {"type": attachment, **facts}}
        return message

    def call(self, tool: str, given: Mapping[str, Any], **structured: Any) -> str:
        call = self.talk.calls(tool, given)
        self.records[self.talk.result(call).uuid] = {"toolUseResult": structured}
        return call

    def inject(self, words: str, **record: Any) -> None:
        message = replace_fields(self.talk.injected(words), position=len(self.talk.messages))
        self.talk.messages[-1] = message
        self.records[message.uuid] = record

    def surroundings(self, process: ClientProcess | None = None) -> Surroundings:
        def record(message: Message) -> Mapping[str, Any] | None:
            return self.records.get(message.uuid)

        messages = self.talk.messages
        return surroundings_of(messages, record, FileHistory.of(messages, record), process)


def test_plan_mode_is_on_until_it_is_left() -> None:
    recorded = Recorded()
    on = recorded.attach("plan_mode", planFilePath="/plans/a.md")
    assert recorded.surroundings().plan_mode == on
    recorded.attach("plan_mode_exit", planFilePath="/plans/a.md")
    assert recorded.surroundings().plan_mode is None
    recorded.attach("plan_mode_reentry", planFilePath="/plans/a.md")
    assert recorded.surroundings().plan_mode is not None
    recorded.call("ExitPlanMode", {"plan": "1. go"}, plan="1. go", filePath="/plans/a.md")
    assert recorded.surroundings().plan_mode is None


def test_the_plan_is_the_file_as_it_was_written_last() -> None:
    recorded = Recorded()
    recorded.call("ExitPlanMode", {"plan": "1. go"}, plan="1. go", filePath="/plans/a.md")
    assert recorded.surroundings().plan == Plan("/plans/a.md", "1. go")
    recorded.call("Write", {"file_path": "/plans/a.md", "content": "1. stay"})
    assert recorded.surroundings().plan == Plan("/plans/a.md", "1. stay")


def test_a_plan_without_a_word_is_no_plan() -> None:
    recorded = Recorded()
    recorded.attach("plan_mode", planFilePath="/plans/a.md", planExists=False)
    assert recorded.surroundings().plan is None


def test_a_skill_is_known_by_its_call_by_its_command_and_by_what_was_attached_again() -> None:
    recorded = Recorded()
    recorded.attach("invoked_skills", skills=[{"name": "old", "path": "user:old", "content": "Do as before."}])
    call = recorded.call("Skill", {"skill": "tdd"})
    recorded.inject("Write the test first.", sourceToolUseID=call, isMeta=True)
    recorded.talk.prompt("<command-message>audit</command-message>\n<command-name>/audit</command-name>")
    recorded.inject("Look twice.", isMeta=True)
    skills = recorded.surroundings().skills
    assert [(skill.name, skill.text) for skill in skills] == [
        ("old", "Do as before."),
        ("tdd", "Write the test first."),
        ("audit", "Look twice."),
    ]


def test_a_client_that_was_started_anew_has_forgotten_the_skills_that_were_called() -> None:
    recorded = Recorded()
    recorded.attach("invoked_skills", skills=[{"name": "old", "path": "user:old", "content": "Do as before."}])
    call = recorded.call("Skill", {"skill": "tdd"})
    recorded.inject("Write the test first.", sourceToolUseID=call, isMeta=True)
    assert [skill.name for skill in recorded.surroundings(ClientProcess(resumed_at=99)).skills] == ["old"]


def test_agents_run_until_a_report_says_that_they_ended() -> None:
    recorded = Recorded()
    for name in ("a1", "a2"):
        recorded.call("Agent", {"description": f"look at {name}"}, status="async_launched", agentId=name)
    recorded.inject("<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>")
    assert recorded.surroundings().agents == (
        BackgroundAgent("a2", "look at a2", "running"),
        BackgroundAgent("a1", "look at a1", "completed"),
    )


def test_an_agent_that_was_waited_for_runs_no_more() -> None:
    recorded = Recorded()
    recorded.call("Agent", {"description": "look"}, status="completed", agentId="a1")
    assert recorded.surroundings().agents == ()


def test_files_with_instructions_come_in_another_way() -> None:
    recorded = Recorded()
    recorded.attach("instructions", files=[{"path": "/w/RULES.md"}])
    recorded.attach("nested_memory", path="/w/app/CLAUDE.md")
    assert recorded.surroundings().memory_paths == ("/w/RULES.md", "/w/app/CLAUDE.md")
