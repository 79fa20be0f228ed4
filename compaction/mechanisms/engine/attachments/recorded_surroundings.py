"""What the client knew besides the conversation, as far as records tell: the plan and its mode, invoked skills, agents
in the background, and files that are restored in another way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from compaction.mechanisms.engine.attachments.client_process import ClientProcess
from compaction.mechanisms.engine.attachments.file_history import FileHistory, Records, touches_of
from compaction.mechanisms.engine.attachments.surroundings import BackgroundAgent, Plan, Skill, Surroundings
from compaction.mechanisms.engine.conversation.calls import Call
from sessions.context.engine.rendering.records import strip_reminder_tags
from sessions.transcripts.engine.messages import Message, MessageKind

AGENT_TOOLS = frozenset({"Agent", "Task"})
STOPPING_TOOLS = frozenset({"TaskStop", "KillShell", "KillAgent"})
PLAN_TOOL, SKILL_TOOL = "ExitPlanMode", "Skill"
TELLING_TOOLS = AGENT_TOOLS | {PLAN_TOOL, SKILL_TOOL}
"""The records of their results hold more than what the model was sent."""
MOST_FINISHED = 5
"""Agents that have ended are named up to this number, the latest."""
RUNNING = "running"
_NOTIFICATION = re.compile(r"<task-notification>.*?</task-notification>", re.DOTALL)
_TASK_FIELD = re.compile(r"<(task-id|status|summary)>(.*?)</\1>", re.DOTALL)
_COMMAND = re.compile(r"<command-name>/?([^<]+)</command-name>")


def surroundings_of(
    messages: Sequence[Message], records: Records, files: FileHistory, process: ClientProcess | None = None
) -> Surroundings:
    process = process or ClientProcess()
    reader = _Reader(records, process)
    touches: dict[int, list[Call]] = {}
    for index, call, _ in touches_of(messages):
        touches.setdefault(index, []).append(call)
    for index, message in enumerate(messages):
        reader.feed(message)
        for call in touches.get(index, ()):
            reader.feed_result(message, call)
    return reader.surroundings(files)


@dataclass(slots=True)
class _Reader:
    records: Records
    process: ClientProcess
    plan: Plan | None = None
    plan_mode: Message | None = None
    memory_paths: list[str] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    agents: dict[str, BackgroundAgent] = field(default_factory=dict)
    skill_calls: dict[str, str] = field(default_factory=dict)
    """Call of the Skill tool -> the name of the skill."""
    command: str = ""
    """The command that a person has just typed."""

    def feed(self, message: Message) -> None:
        words = str(message.content[0].get("text", "")) if message.content else ""
        if message.kind is MessageKind.INJECTED and message.attachment:
            self.feed_attachment(message, words)
        elif message.role == "user" and message.kind is not MessageKind.RESULT:
            self.feed_skill(message, words)
        if message.role == "user" and "<task-notification>" in words:
            self.feed_notifications(words)
        for block in message.content:
            if block.get("type") == "tool_use" and block.get("name") == SKILL_TOOL:
                name = (block.get("input") or {}).get("skill") or (block.get("input") or {}).get("command")
                self.skill_calls[str(block.get("id"))] = str(name)

    def feed_attachment(self, message: Message, words: str) -> None:
        attachment = (self.records(message) or {}).get("attachment")
        attachment = attachment if isinstance(attachment, Mapping) else {}
        kind = message.attachment
        if kind in ("plan_mode", "plan_mode_reentry"):
            self.plan_mode = message
            self.note_plan(attachment.get("planFilePath"), "")
        elif kind == "plan_mode_exit":
            self.plan_mode = None
        elif kind == "plan_file_reference":
            self.note_plan(attachment.get("planFilePath"), attachment.get("planContent"))
        elif kind == "nested_memory":
            self.note_memory(attachment.get("path"))
        elif kind == "instructions":
            for file in attachment.get("files") or ():
                self.note_memory(file.get("path") if isinstance(file, Mapping) else None)
        elif kind == "invoked_skills":
            for skill in attachment.get("skills") or ():
                if isinstance(skill, Mapping):
                    self.note_skill(str(skill.get("name")), str(skill.get("content")), message, str(skill.get("path")))
        elif kind == "queued_command":
            self.feed_notifications(words)

    def feed_skill(self, message: Message, words: str) -> None:
        """The text of a skill follows the call or the command that invoked it."""
        if match := _COMMAND.search(words):
            self.command = match[1].strip()
            return
        command, self.command = self.command, ""
        record = self.records(message) or {}
        name = self.skill_calls.get(str(record.get("sourceToolUseID")), "")
        if not name and command and record.get("isMeta") and not words.startswith("<"):
            name = command
        if name and (message.position is None or message.position >= self.process.resumed_at):
            self.note_skill(name, words, message)

    def feed_result(self, message: Message, call: Call) -> None:
        structured = (self.records(message) or {}).get("toolUseResult")
        structured = structured if isinstance(structured, Mapping) else {}
        if call.name == PLAN_TOOL:
            self.plan_mode = None
            self.note_plan(structured.get("filePath"), structured.get("plan") or call.input.get("plan"))
        elif call.name in AGENT_TOOLS and structured.get("status") == "async_launched":
            name = str(structured.get("agentId"))
            self.agents[name] = BackgroundAgent(name, str(call.input.get("description", "")))
        elif call.name in STOPPING_TOOLS:
            self.end_agent(str(call.input.get("task_id") or call.input.get("agent_id")), "stopped")

    def feed_notifications(self, words: str) -> None:
        for notification in _NOTIFICATION.findall(words):
            fields: dict[str, str] = dict(_TASK_FIELD.findall(notification))
            self.end_agent(fields.get("task-id", ""), fields.get("status", "ended"))

    def end_agent(self, name: str, status: str) -> None:
        if name in self.agents:
            self.agents[name] = replace(self.agents.pop(name), status=status)

    def note_plan(self, path: object, text: object) -> None:
        known = self.plan
        place = path if isinstance(path, str) else known.path if known is not None else ""
        words = text if isinstance(text, str) and text else known.text if known and known.path == place else ""
        self.plan = Plan(place, words)

    def note_memory(self, path: object) -> None:
        if isinstance(path, str):
            self.memory_paths.append(path)

    def note_skill(self, name: str, words: str, message: Message, path: str = "") -> None:
        at = float(message.position if message.position is not None else len(self.skills))
        self.skills.append(Skill(name, strip_reminder_tags(words), path, at))

    def surroundings(self, files: FileHistory) -> Surroundings:
        plan = self.plan
        if plan is not None and (file := files.read(plan.path)) is not None and file.is_whole:
            plan = replace(plan, text="\n".join(file.parts[0].lines))
        running = [agent for agent in self.agents.values() if agent.status == RUNNING]
        ended = [agent for agent in self.agents.values() if agent.status != RUNNING]
        return Surroundings(
            plan=plan if plan is not None and plan.text.strip() else None,
            plan_mode=self.plan_mode,
            memory_paths=tuple(dict.fromkeys(self.memory_paths)),
            skills=tuple(self.skills),
            agents=(*running, *ended[-MOST_FINISHED:]),
            process=self.process,
        )
