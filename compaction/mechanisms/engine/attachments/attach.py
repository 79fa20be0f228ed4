"""The attachments that follow a compaction: the summary tells what was done, these what to continue with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from compaction.mechanisms.engine.attachments.announcements import announced_again
from compaction.mechanisms.engine.attachments.file_history import Records, no_records
from compaction.mechanisms.engine.attachments.files import FileConfig, restore_files
from compaction.mechanisms.engine.attachments.parts import AttachmentPart
from compaction.mechanisms.engine.attachments.pinned import quote_pinned
from compaction.mechanisms.engine.attachments.skills import SkillConfig, restore_skills
from compaction.mechanisms.engine.attachments.surroundings import BackgroundAgent, ReadFile, Surroundings, read_nothing
from compaction.mechanisms.engine.conversation.standing import OPENING, SETTING
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.report import Change, ChangeKind
from compaction.mechanisms.engine.rules import ARTICLES, CompactionRules, Rules
from compaction.mechanisms.engine.setting_field import setting
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks


@dataclass(frozen=True, slots=True)
class AttachmentConfig:
    TITLE: ClassVar[str] = "Attached again after the summary"

    rules: Rules = setting(
        Rules.SESSION,
        "What a compaction keeps and attaches: as the version that wrote the session does, as the articles describe, "
        "or as another version does.",
        label="Compact by the rules of",
    )
    enabled: bool = setting(True, "Whether anything is attached after the summary.")
    files: FileConfig = field(default_factory=FileConfig)
    skills: SkillConfig = field(default_factory=SkillConfig)
    plan_file: bool = setting(True, "The plan.")
    plan_mode: bool = setting(True, "That plan mode is on.")
    agents: bool = setting(True, "Agents that run in the background, or have just ended.")
    tool_listing: bool = setting(True, "Tools that were announced.")
    agent_listing: bool = setting(True, "Kinds of agents that were announced.")
    mcp_instructions: bool = setting(True, "What servers of tools said about themselves.")
    skill_listing: bool = setting(True, "Skills that were announced.")
    opening: bool = setting(True, "What opens a conversation: instructions, environment, git status, date.")


@dataclass(frozen=True, slots=True)
class Attachments:
    messages: tuple[Message, ...] = ()
    changes: tuple[Change, ...] = ()
    remarks: tuple[str, ...] = ()
    """Sentences: what was cut, and what was left out and why."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of attachments."""

    surroundings: Surroundings = field(default_factory=Surroundings)
    read_file: ReadFile = read_nothing
    records: Records = no_records
    pinned: frozenset[str] = frozenset()
    rules: CompactionRules = ARTICLES
    pinned_elsewhere: Sequence[Message] = ()


def attach(
    messages: Sequence[Message],
    covered: slice,
    config: AttachmentConfig,
    sources: Sources,
    *,
    owner: str,
    counter: TokenCounter = estimate_blocks,
    now: float | None = None,
) -> Attachments:
    """The `covered` messages will be removed; `owner` is the id of the boundary. A message that is given again
    unchanged stays the same object, and is no change."""
    attached: list[Message] = []
    changes: list[Change] = []
    remarks: list[str] = [] if config.enabled else ["attachments are off"]
    for part in _parts(messages, covered, config, sources):
        remarks.extend(part.remarks)
        if not part.texts:
            continue
        uuid = derived_id("attachment", part.name, owner)
        content = tuple(map(text_block, part.texts))
        message = Message(part.role, content, MessageKind.INJECTED, uuid, at=now)
        attached.append(message)
        changes.append(Change(ChangeKind.ADDED, uuid, 0, estimate((message,), counter), part.why))
    anew = [*_repeat_announcements(messages[covered], _find_kept(messages, covered), config, sources, owner)]
    if anew:
        count = plural(len(anew), "record is", "records are")
        remarks.append(f"{count} sent again: instructions, environment, and lists of what is there")
    return Attachments((*attached, *anew), tuple(changes), tuple(remarks))


def hook_messages(texts: Sequence[str], owner: str, now: float | None = None) -> tuple[Message, ...]:
    """The output of hooks, which comes after everything else."""
    return tuple(
        Message("user", (text_block(text),), MessageKind.INJECTED, derived_id("hook", str(number), owner), at=now)
        for number, text in enumerate(texts)
        if text.strip()
    )


def _parts(
    messages: Sequence[Message], covered: slice, config: AttachmentConfig, sources: Sources
) -> Iterator[AttachmentPart]:
    surroundings = sources.surroundings
    yield from quote_pinned(messages[covered], sources.pinned, sources.pinned_elsewhere)
    if not config.enabled:
        return
    if config.files.enabled:
        yield from restore_files(messages, covered, surroundings, config.files, sources.read_file, sources.rules)
    if config.plan_file and surroundings.plan is not None:
        plan = surroundings.plan
        text = f'<plan-file path="{plan.path}">\n{plan.text}\n</plan-file>'
        yield AttachmentPart("plan-file", (text,) if plan.text.strip() else (), f"the plan {plan.path}".strip())
    if config.skills.enabled:
        yield from restore_skills(surroundings.skills, config.skills)
    if config.plan_mode and surroundings.plan_mode and surroundings.plan_mode not in _find_kept(messages, covered):
        yield AttachmentPart("plan-mode", (_plan_mode(surroundings.plan_mode),), "plan mode is on")
    if config.agents and surroundings.agents:
        yield AttachmentPart("background-agents", (_agents(surroundings.agents),), "agents in the background")


def _find_kept(messages: Sequence[Message], covered: slice) -> list[Message]:
    return [*messages[: covered.start], *messages[covered.stop :]]


def _repeat_announcements(
    covered: Sequence[Message], kept_messages: Sequence[Message], config: AttachmentConfig, sources: Sources, owner: str
) -> Iterator[Message]:
    if not config.enabled:
        return
    switches = {
        "deferred_tools_delta": config.tool_listing,
        "agent_listing_delta": config.agent_listing,
        "mcp_instructions_delta": config.mcp_instructions,
        "skill_listing": config.skill_listing,
        **dict.fromkeys((*SETTING, *OPENING), config.opening),
    }
    for message in announced_again(covered, kept_messages, sources.records, owner):
        if switches.get(message.attachment, config.opening):
            yield message


PLAN_MODE = (
    "<plan-mode>Plan mode is still on: read and think, and change nothing before a plan is approved.</plan-mode>"
)
_GUIDANCE = 100
"""Fewer characters are no words of the client, only the name of what it attached."""


def _plan_mode(message: Message | bool) -> str:
    words = str(message.content[0].get("text", "")) if isinstance(message, Message) and message.content else ""
    return words if len(words) > _GUIDANCE else PLAN_MODE


def _agents(agents: Sequence[BackgroundAgent]) -> str:
    lines = [f"- {agent.id} ({agent.status}): {agent.description}" for agent in agents]
    listed = "\n".join(lines)
    return f"<background-agents>\nStarted before the summary; do not start them again.\n{listed}\n</background-agents>"
