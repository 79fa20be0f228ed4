from __future__ import annotations

from dataclasses import replace

from compaction.mechanisms.engine.attachments import (
    AttachmentConfig,
    Attachments,
    BackgroundAgent,
    FileConfig,
    Listing,
    Plan,
    Skill,
    SkillConfig,
    Surroundings,
    attach,
    hook_messages,
)
from compaction.mechanisms.engine.report import ChangeKind
from sessions.transcripts.engine.messages import MessageKind
from sessions.usage.engine.tokens import estimate, estimate_blocks
from tests.sessions.transcripts.engine.spoken import Talk, texts

EVERYTHING = Surroundings(
    plan=Plan("/plans/p.md", "1. do it"),
    plan_mode=True,
    skills=(Skill("tdd", "test first"),),
    agents=(BackgroundAgent("a1", "looks for leaks"),),
    tools=Listing(("Gone",), (("New", "- New: makes things"),)),
    agent_types=Listing((), (("explorer", "- explorer: looks around"),)),
    mcp_instructions=Listing(("docs",), ()),
)


def attach_after_reading(surroundings: Surroundings, config: AttachmentConfig | None = None) -> Attachments:
    talk = Talk()
    talk.reads("a.py")
    return attach(
        talk.messages,
        [],
        surroundings,
        config or AttachmentConfig(),
        read_file=lambda path: "print()",
        owner="boundary",
        counter=estimate_blocks,
    )


def test_the_eight_attachments_come_in_their_order() -> None:
    beginnings = [text.split("\n")[0].split(">")[0] + ">" for text in texts(attach_after_reading(EVERYTHING).messages)]
    assert beginnings == [
        '<file path="a.py">',
        '<plan-file path="/plans/p.md">',
        "<invoked-skills>",
        "<plan-mode>",
        "<background-agents>",
        "<tools-changed>",
        "<agent-types-changed>",
        "<mcp-instructions-changed>",
    ]


def test_each_is_a_message_of_the_client_that_the_report_counts() -> None:
    attachments = attach_after_reading(EVERYTHING)
    assert {message.kind for message in attachments.messages} == {MessageKind.INJECTED}
    assert [change.uuid for change in attachments.changes] == [message.uuid for message in attachments.messages]
    assert {change.kind for change in attachments.changes} == {ChangeKind.ADDED}
    assert sum(change.tokens_after for change in attachments.changes) == estimate(attachments.messages)


def test_ids_follow_from_the_boundary() -> None:
    assert attach_after_reading(EVERYTHING) == attach_after_reading(EVERYTHING)
    assert len({message.uuid for message in attach_after_reading(EVERYTHING).messages}) == 8


def test_listings_that_did_not_change_are_not_repeated() -> None:
    same = Listing(("Read",), (("Read", "- Read"),))
    attachments = attach_after_reading(Surroundings(tools=same, agent_types=same, mcp_instructions=same))
    assert len(attachments.messages) == 1


def test_a_change_names_what_came_and_what_went() -> None:
    (_, text) = texts(attach_after_reading(Surroundings(tools=EVERYTHING.tools)).messages)
    assert "- New: makes things" in text
    assert "No longer there: Gone" in text


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
    ):
        assert len(attach_after_reading(EVERYTHING, config).messages) == 7
    assert attach_after_reading(EVERYTHING, AttachmentConfig(enabled=False)).messages == ()


def test_what_hooks_say_comes_as_messages_without_the_empty_ones() -> None:
    assert texts(hook_messages(["branch is main", " ", "be brief"], "b")) == ["branch is main", "be brief"]
