"""The eight attachments that follow a compaction: the summary says what was done, these say what to go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from compaction.mechanisms.engine.attachments.files import FileConfig, restore_files
from compaction.mechanisms.engine.attachments.parts import AttachmentPart
from compaction.mechanisms.engine.attachments.skills import SkillConfig, restore_skills
from compaction.mechanisms.engine.attachments.surroundings import BackgroundAgent, Listing, ReadFile, Surroundings
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.report import Change, ChangeKind
from compaction.mechanisms.engine.setting_field import setting
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.tokens import TokenCounter, estimate


@dataclass(frozen=True, slots=True)
class AttachmentConfig:
    TITLE: ClassVar[str] = "Attached again after the summary"

    enabled: bool = setting(True, "Whether anything is attached after the summary.")
    files: FileConfig = field(default_factory=FileConfig)
    skills: SkillConfig = field(default_factory=SkillConfig)
    plan_file: bool = setting(True, "The plan.")
    plan_mode: bool = setting(True, "That plan mode is on.")
    agents: bool = setting(True, "Agents that still run in the background.")
    tool_listing: bool = setting(True, "Tools that were announced.")
    agent_listing: bool = setting(True, "Kinds of agents that were announced.")
    mcp_instructions: bool = setting(True, "What servers of tools said about themselves.")


@dataclass(frozen=True, slots=True)
class Attachments:
    messages: tuple[Message, ...] = ()
    changes: tuple[Change, ...] = ()
    remarks: tuple[str, ...] = ()
    """Sentences: what was cut, and what was left out and why."""


def attach(
    covered: Sequence[Message],
    kept_messages: Sequence[Message],
    surroundings: Surroundings,
    config: AttachmentConfig,
    *,
    read_file: ReadFile,
    owner: str,
    counter: TokenCounter,
    now: float | None = None,
) -> Attachments:
    """`covered` messages are about to go, `kept_messages` stay; `owner` is the id of the boundary."""
    if not config.enabled:
        return Attachments(remarks=("attachments are off",))
    messages: list[Message] = []
    changes: list[Change] = []
    remarks: list[str] = []
    for part in _parts(covered, kept_messages, surroundings, config, read_file):
        remarks.extend(part.remarks)
        if not part.text:
            continue
        uuid = derived_id("attachment", part.name, owner)
        message = Message("user", (text_block(part.text),), MessageKind.INJECTED, uuid, at=now)
        messages.append(message)
        changes.append(Change(ChangeKind.ADDED, uuid, 0, estimate((message,), counter), part.why))
    return Attachments(tuple(messages), tuple(changes), tuple(remarks))


def hook_messages(texts: Sequence[str], owner: str, now: float | None = None) -> tuple[Message, ...]:
    """What hooks returned, which comes after everything else."""
    return tuple(
        Message("user", (text_block(text),), MessageKind.INJECTED, derived_id("hook", str(number), owner), at=now)
        for number, text in enumerate(texts)
        if text.strip()
    )


def _parts(
    covered: Sequence[Message],
    kept_messages: Sequence[Message],
    surroundings: Surroundings,
    config: AttachmentConfig,
    read_file: ReadFile,
) -> Iterator[AttachmentPart]:
    if config.files.enabled:
        yield from restore_files(covered, kept_messages, surroundings, config.files, read_file)
    if config.plan_file and surroundings.plan is not None:
        plan = surroundings.plan
        text = f'<plan-file path="{plan.path}">\n{plan.text}\n</plan-file>'
        yield AttachmentPart("plan-file", text if plan.text.strip() else "", f"the plan {plan.path}")
    if config.skills.enabled:
        yield from restore_skills(surroundings.skills, config.skills)
    if config.plan_mode and surroundings.plan_mode:
        yield AttachmentPart("plan-mode", PLAN_MODE, "plan mode is on")
    if config.agents and surroundings.agents:
        yield AttachmentPart("background-agents", _agents(surroundings.agents), "agents run in the background")
    if config.tool_listing:
        yield _listing_changes("tools", "The tools", surroundings.tools)
    if config.agent_listing:
        yield _listing_changes("agent-types", "The kinds of agents", surroundings.agent_types)
    if config.mcp_instructions:
        yield _listing_changes("mcp-instructions", "The instructions of MCP servers", surroundings.mcp_instructions)


PLAN_MODE = (
    "<plan-mode>Plan mode is still on: read and think, and change nothing before a plan is approved.</plan-mode>"
)


def _agents(agents: Sequence[BackgroundAgent]) -> str:
    lines = [f"- {agent.id} ({agent.status}): {agent.description}" for agent in agents]
    listed = "\n".join(lines)
    return f"<background-agents>\nStarted before the summary; do not start them again.\n{listed}\n</background-agents>"


def _listing_changes(name: str, subject: str, listing: Listing) -> AttachmentPart:
    announced, available = set(listing.announced), {entry for entry, _ in listing.available}
    added = [line for entry, line in listing.available if entry not in announced]
    removed = [entry for entry in listing.announced if entry not in available]
    if not added and not removed:
        return AttachmentPart(name, "", "")
    lines = [f"{subject} have changed."]
    lines += ["Now there:", *added] if added else []
    lines += [f"No longer there: {', '.join(removed)}"] if removed else []
    text = "\n".join(lines)
    return AttachmentPart(
        name, f"<{name}-changed>\n{text}\n</{name}-changed>", f"{len(added)} new, {len(removed)} gone"
    )
