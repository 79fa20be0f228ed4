"""What a sub-agent is sent while it works that its own file does not hold: the lists of agents and servers, which are
in the transcript of the session, and reminders of its task tools. Only versions that record the facts of attachments,
not their words, leave it out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.context.engine.client_versions import ClientBehaviour
from sessions.context.engine.rendering.lists import list_strings
from sessions.context.engine.rendering.records import Placement, RenderedRecord
from sessions.context.engine.rendering.reminders import TASK_TOOLS
from sessions.context.engine.rendering.wording import attachment_texts
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import Message, MessageKind, text_block

AGENTS, SERVERS, TOKENS = "agent_listing_delta", "mcp_instructions_delta", "total_tokens_reminder"
LISTS = (AGENTS, SERVERS)
NOTES = (*LISTS, TOKENS)
_COLUMNS = {
    AGENTS: ("addedTypes", "addedLines", "removedTypes"),
    SERVERS: ("addedNames", "addedBlocks", "removedNames"),
}
_TOKENS_LEFT = re.compile(r"(\d{1,12}) tokens left")
_WARM_UP = "Warmup"
_REMINDER = {"type": "task_reminder"}
_TOOL_LIST = re.compile(r"\(Tools: ([^()]*)\)\s*$")
_ALL_EXCEPT = "All tools except "


@dataclass(frozen=True, slots=True)
class SubagentNotes:
    agent_type: str
    lists: Mapping[str, Mapping[str, Any]]
    """Type of an attachment -> all that the main thread had been sent when the sub-agent began."""
    prompt: str = ""
    """What it was asked, if its own file does not hold that (2.0.42 to 2.0.60)."""
    budget: int = 0
    """The most tokens that the main thread was told were left: so many a sub-agent begins with (2.1.240, 2.1.250)."""

    @classmethod
    def of(cls, agent_type: str, records: Iterable[Mapping[str, Any]]) -> SubagentNotes:
        """`records`: the records with lists in the main transcript, in file order."""
        lists: dict[str, Mapping[str, Any]] = {}
        budget = 0
        for record in records:
            attachment = mapping(record.get("attachment"))
            name = text(attachment.get("type"))
            if name == TOKENS:
                left = _TOKENS_LEFT.search(text(attachment.get("text")))
                budget = max(budget, int(left[1]) if left else 0)
                continue
            lists[name] = _merge_lists(lists[name], attachment) if name in lists else attachment
        return cls(agent_type, lists, budget=budget)

    def render_prompt(self) -> RenderedRecord | None:
        if not self.prompt:
            return None
        return RenderedRecord(Message("user", (text_block(self.prompt),), MessageKind.PROMPT), Placement.ROW)

    def render(self, behaviour: ClientBehaviour, *, first: bool, due: bool, used: int) -> list[RenderedRecord]:
        """The notes that come with results. `first`: these are the first results; `due`: a reminder is due; `used`: the
        tokens that the API counted so far."""
        if not behaviour.has_system_role or behaviour.records_subagent_notes:
            return []
        tools = self._tools()
        attachments = [
            self.lists[list_type]
            for list_type in LISTS
            if first and list_type in self.lists and _is_relevant(list_type, tools)
        ]
        if due and _has_any(tools, TASK_TOOLS):
            attachments.append(_REMINDER)
        if self.budget:
            left = f"<total_tokens>{self.budget - used} tokens left</total_tokens>"
            attachments.append({"type": TOKENS, "text": left})
        return [
            _note(words, exact=behaviour.wording_is_known)
            for attachment in attachments
            for words in attachment_texts(attachment)
        ]

    def _tools(self) -> str:
        """The tools of this agent, as the list of agents has them: a list, all, or all but a few."""
        lines = self.lists.get(AGENTS, {}).get("addedLines")
        for line in lines if isinstance(lines, list) else ():
            if (
                isinstance(line, str)
                and line.startswith(f"- {self.agent_type}: ")
                and (match := _TOOL_LIST.search(line))
            ):
                return "*" if match[1] == "All tools" else match[1]
        return ""


def prompt_of_agent(agent: str, results: Iterable[Mapping[str, Any]], *, all_ended: bool) -> str:
    """What a sub-agent was asked, by what its call came back with. `results`: records of the main transcript;
    `all_ended`: every call has one. An agent that none of them names was started by the client, ahead of any call."""
    reports = [mapping(record.get("toolUseResult")) for record in results]
    prompt = next((text(report.get("prompt")) for report in reports if report.get("agentId") == agent), "")
    return prompt or (_WARM_UP if all_ended and all(text(report.get("agentId")) for report in reports) else "")


def agent_type_of(answer: Mapping[str, Any]) -> str:
    """The type of sub-agent that wrote an answer, if no other file says it. A skill that runs in one uses the
    default."""
    return text(answer.get("attributionAgent")) or ("general-purpose" if answer.get("attributionSkill") else "")


def _merge_lists(former: Mapping[str, Any], later: Mapping[str, Any]) -> Mapping[str, Any]:
    """The list after a change, ordered by name."""
    names, lines, removed = _COLUMNS[text(later.get("type"))]
    line_by_name = dict(zip(list_strings(former.get(names)), list_strings(former.get(lines)), strict=False))
    line_by_name |= zip(list_strings(later.get(names)), list_strings(later.get(lines)), strict=False)
    remaining = sorted(line_by_name.keys() - list_strings(later.get(removed)), key=str.casefold)
    return {**former, names: remaining, lines: [line_by_name[name] for name in remaining], removed: []}


def _is_relevant(list_type: str, tools: str) -> bool:
    """Sub-agents learn of agents only if they can start some, and of servers only if they have tools of servers."""
    if list_type == AGENTS:
        return _has_any(tools, {"Agent"})
    return tools == "*" or tools.startswith(_ALL_EXCEPT) or any(name.startswith("mcp__") for name in _tool_names(tools))


def _has_any(tools: str, any_of: Collection[str]) -> bool:
    return tools == "*" or any((name in _tool_names(tools)) is not tools.startswith(_ALL_EXCEPT) for name in any_of)


def _tool_names(tools: str) -> set[str]:
    return {name.strip() for name in tools.removeprefix(_ALL_EXCEPT).split(",")}


def _note(words: str, *, exact: bool) -> RenderedRecord:
    user_blocks = (text_block(f"<system-reminder>\n{words}\n</system-reminder>"),)
    return RenderedRecord(
        Message("system", (text_block(words),), MessageKind.INJECTED), Placement.NOTE, exact, user_blocks
    )
