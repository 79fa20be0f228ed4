from __future__ import annotations

from dataclasses import replace

from compaction.mechanisms.engine.attachments import (
    AttachmentConfig,
    Attachments,
    BackgroundAgent,
    FileConfig,
    FileText,
    Plan,
    Skill,
    SkillConfig,
    Sources,
    Surroundings,
    attach,
    hook_messages,
)
from compaction.mechanisms.engine.report import ChangeKind
from sessions.transcripts.engine.messages import MessageKind
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.spoken import Talk, texts

EVERYTHING = Surroundings(
    plan=Plan("/plans/p.md", "1. do it"),
    plan_mode=True,
    skills=(Skill("tdd", "test first"),),
    agents=(BackgroundAgent("a1", "looks for leaks"),),
)


def attach_after_reading(surroundings: Surroundings, config: AttachmentConfig | None = None) -> Attachments:
    talk = opened()
    talk.reads("a.py")
    sources = Sources(surroundings, read_file=lambda path: FileText.whole("print()"))
    return attach(talk.messages, slice(0, len(talk.messages)), config or AttachmentConfig(), sources, owner="boundary")


def opened() -> Talk:
    """A conversation with all that a client says beside it."""
    talk = Talk()
    for name in ("instructions", "date", "skill_listing", "mcp_instructions_delta", "agent_listing_delta"):
        talk.injected(f"{name} of this session", name)
    talk.injected("deferred_tools_delta of this session", "deferred_tools_delta")
    return talk


def test_the_attachments_come_in_the_order_of_the_client() -> None:
    attached = attach_after_reading(EVERYTHING)
    words = [text.removeprefix("<system-reminder>\n")[:35] for text in texts(attached.messages)]
    assert words == [
        "Called the Read tool with the follo",
        '<plan-file path="/plans/p.md">\n1. d',
        "The following skills were invoked E",
        "<plan-mode>Plan mode is still on: r",
        "<background-agents>\nStarted before ",
        "deferred_tools_delta of this sessio",
        "agent_listing_delta of this session",
        "mcp_instructions_delta of this sess",
        "skill_listing of this session",
        "instructions of this session",
        "date of this session",
    ]


def test_what_is_new_is_a_message_of_the_client_that_the_report_counts() -> None:
    attachments = attach_after_reading(EVERYTHING)
    assert {message.kind for message in attachments.messages} == {MessageKind.INJECTED}
    new = [message for message in attachments.messages if not message.attachment]
    assert [change.uuid for change in attachments.changes] == [message.uuid for message in new]
    assert {change.kind for change in attachments.changes} == {ChangeKind.ADDED}
    assert sum(change.tokens_after for change in attachments.changes) == estimate(new)


def test_what_stands_as_it_was_stays_the_same_message() -> None:
    attached = attach_after_reading(EVERYTHING)
    standing = [message for message in attached.messages if message.attachment]
    assert {message.uuid for message in standing} <= {message.uuid for message in opened().messages}
    assert attached.remarks == ("6 records are sent again: instructions, environment, and lists of what is there",)


def test_ids_follow_from_the_boundary() -> None:
    assert attach_after_reading(EVERYTHING) == attach_after_reading(EVERYTHING)
    assert len({message.uuid for message in attach_after_reading(EVERYTHING).messages}) == 11


def test_each_attachment_can_be_switched_off() -> None:
    everything = AttachmentConfig()
    for config in (
        replace(everything, files=FileConfig(enabled=False)),
        replace(everything, plan_file=False),
        replace(everything, skills=SkillConfig(enabled=False)),
        replace(everything, plan_mode=False),
        replace(everything, agents=False),
        replace(everything, tool_listing=False),
        replace(everything, agent_listing=False),
        replace(everything, mcp_instructions=False),
        replace(everything, skill_listing=False),
    ):
        assert len(attach_after_reading(EVERYTHING, config).messages) == 10
    assert len(attach_after_reading(EVERYTHING, replace(everything, opening=False)).messages) == 9
    assert attach_after_reading(EVERYTHING, AttachmentConfig(enabled=False)).messages == ()


def test_what_hooks_say_comes_as_messages_without_the_empty_ones() -> None:
    assert texts(hook_messages(["branch is main", " ", "be brief"], "b")) == ["branch is main", "be brief"]
