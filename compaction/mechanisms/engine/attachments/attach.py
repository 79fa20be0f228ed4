"""The eight attachments that follow a compaction: the summary says what was done, these are what to go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.attachments.files import FileConfig, restored_files
from compaction.mechanisms.engine.attachments.parts import Part
from compaction.mechanisms.engine.attachments.skills import SkillConfig, restored_skills
from compaction.mechanisms.engine.attachments.surroundings import (
    BackgroundAgent,
    Listing,
    ReadFile,
    Surroundings,
)
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.report import Change, What
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.tokens import TokenCounter, estimate


@dataclass(frozen=True, slots=True)
class AttachmentConfig:
    enabled: bool = True
    files: FileConfig = field(default_factory=FileConfig)
    skills: SkillConfig = field(default_factory=SkillConfig)
    plan_file: bool = True
    plan_mode: bool = True
    agents: bool = True
    tool_listing: bool = True
    agent_listing: bool = True
    mcp_instructions: bool = True


@dataclass(frozen=True, slots=True)
class Attached:
    messages: tuple[Message, ...] = ()
    changes: tuple[Change, ...] = ()
    remarks: tuple[str, ...] = ()
    """Sentences: what was cut, and what was left out and why."""


def attached(
    covered: Sequence[Message],
    kept: Sequence[Message],
    surroundings: Surroundings,
    config: AttachmentConfig,
    *,
    read_file: ReadFile,
    owner: str,
    counter: TokenCounter,
    now: float | None = None,
) -> Attached:
    """`covered` messages are about to go, `kept` ones stay; `owner` is the id of the boundary."""
    if not config.enabled:
        return Attached(remarks=("attachments are off",))
    messages: list[Message] = []
    changes: list[Change] = []
    remarks: list[str] = []
    for part in _parts(covered, kept, surroundings, config, read_file):
        remarks.extend(part.remarks)
        if not part.text:
            continue
        uuid = derived_id("attachment", part.name, owner)
        message = Message("user", (text_block(part.text),), MessageKind.INJECTED, uuid, at=now)
        messages.append(message)
        changes.append(Change(What.ADDED, uuid, 0, estimate((message,), counter), part.why))
    return Attached(tuple(messages), tuple(changes), tuple(remarks))


def hook_messages(texts: Sequence[str], owner: str, now: float | None = None) -> tuple[Message, ...]:
    """What hooks said, after everything else."""
    return tuple(
        Message("user", (text_block(text),), MessageKind.INJECTED, derived_id("hook", str(number), owner), at=now)
        for number, text in enumerate(texts)
        if text.strip()
    )


def _parts(
    covered: Sequence[Message],
    kept: Sequence[Message],
    surroundings: Surroundings,
    config: AttachmentConfig,
    read_file: ReadFile,
) -> Iterator[Part]:
    if config.files.enabled:
        yield from restored_files(covered, kept, surroundings, config.files, read_file)
    if config.plan_file and surroundings.plan is not None:
        plan = surroundings.plan
        text = f'<plan-file path="{plan.path}">\n{plan.text}\n</plan-file>'
        yield Part("plan-file", text if plan.text.strip() else "", f"the plan {plan.path}")
    if config.skills.enabled:
        yield from restored_skills(surroundings.skills, config.skills)
    if config.plan_mode and surroundings.plan_mode:
        yield Part("plan-mode", PLAN_MODE, "plan mode is on")
    if config.agents and surroundings.agents:
        yield Part("background-agents", _agents(surroundings.agents), "agents run in the background")
    if config.tool_listing:
        yield _delta("tools", "The tools", surroundings.tools)
    if config.agent_listing:
        yield _delta("agent-types", "The kinds of agents", surroundings.agent_types)
    if config.mcp_instructions:
        yield _delta("mcp-instructions", "The instructions of MCP servers", surroundings.mcp_instructions)


PLAN_MODE = (
    "<plan-mode>Plan mode is still on: read and think, and change nothing before a plan is approved.</plan-mode>"
)


def _agents(agents: Sequence[BackgroundAgent]) -> str:
    lines = [f"- {agent.id} ({agent.status}): {agent.description}" for agent in agents]
    listed = "\n".join(lines)
    return f"<background-agents>\nStarted before the summary; do not start them again.\n{listed}\n</background-agents>"


def _delta(name: str, what: str, listing: Listing) -> Part:
    known, there = set(listing.announced), {entry for entry, _ in listing.available}
    added = [line for entry, line in listing.available if entry not in known]
    gone = [entry for entry in listing.announced if entry not in there]
    if not added and not gone:
        return Part(name, "", "")
    lines = [f"{what} have changed."]
    lines += ["Now there:", *added] if added else []
    lines += [f"No longer there: {', '.join(gone)}"] if gone else []
    text = "\n".join(lines)
    return Part(name, f"<{name}-changed>\n{text}\n</{name}-changed>", f"{len(added)} new, {len(gone)} gone")
