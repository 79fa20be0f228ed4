"""What a sub-agent is told in the course of its work and no record holds: the agents and servers that the main thread
was told of, and reminders. Versions that keep the facts of an attachment alone write none of it into its file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.context.engine.client_versions import Habits
from sessions.context.engine.rendering.lists import strings
from sessions.context.engine.rendering.records import Place, Said
from sessions.context.engine.rendering.reminders import TASKS
from sessions.context.engine.rendering.wording import worded
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import Message, MessageKind, text_block

AGENTS, SERVERS = "agent_listing_delta", "mcp_instructions_delta"
LISTS = (AGENTS, SERVERS)
_COLUMNS = {
    AGENTS: ("addedTypes", "addedLines", "removedTypes"),
    SERVERS: ("addedNames", "addedBlocks", "removedNames"),
}
_REMINDER = {"type": "task_reminder"}
_TOOLS = re.compile(r"\(Tools: ([^()]*)\)\s*$")
_ALL = "All tools except "


@dataclass(frozen=True, slots=True)
class Inherited:
    kind: str
    """Of the sub-agent."""
    lists: Mapping[str, Mapping[str, Any]]
    """Type of an attachment -> all that the main thread had been told when the sub-agent began."""

    @classmethod
    def of(cls, kind: str, records: Iterable[Mapping[str, Any]]) -> Inherited:
        """`records`: those of the main transcript that hold lists, in file order."""
        lists: dict[str, Mapping[str, Any]] = {}
        for record in records:
            attachment = mapping(record.get("attachment"))
            name = text(attachment.get("type"))
            lists[name] = _together(lists[name], attachment) if name in lists else attachment
        return cls(kind, lists)

    def said(self, habits: Habits, *, first: bool, due: bool) -> list[Said]:
        """Told with results. `first`: those of the first answer, which the lists come with; `due`: a reminder is."""
        if not habits.system_role or habits.writes_words:
            return []
        tools = self._tools()
        told = [self.lists[kind] for kind in LISTS if first and kind in self.lists and _concerns(kind, tools)]
        if due and _has(tools, TASKS):
            told.append(_REMINDER)
        return [_note(words, exact=habits.words_known) for attachment in told for words in worded(attachment)]

    def _tools(self) -> str:
        """As the list of agents has them: a list, all, or all but a few."""
        lines = self.lists.get(AGENTS, {}).get("addedLines")
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, str) and line.startswith(f"- {self.kind}: ") and (match := _TOOLS.search(line)):
                return "*" if match[1] == "All tools" else match[1]
        return ""


def kind_of(answer: Mapping[str, Any]) -> str:
    """Of the sub-agent that a record of an answer is of, where no other file says it. A skill that runs in one takes
    the usual kind."""
    return text(answer.get("attributionAgent")) or ("general-purpose" if answer.get("attributionSkill") else "")


def _together(former: Mapping[str, Any], later: Mapping[str, Any]) -> Mapping[str, Any]:
    """One list of what is there after a change, in the order of names."""
    names, lines, removed = _COLUMNS[text(later.get("type"))]
    known = dict(zip(strings(former.get(names)), strings(former.get(lines)), strict=False))
    known |= zip(strings(later.get(names)), strings(later.get(lines)), strict=False)
    left = sorted(known.keys() - strings(later.get(removed)), key=str.casefold)
    return {**former, names: left, lines: [known[name] for name in left], removed: []}


def _concerns(kind: str, tools: str) -> bool:
    """Who cannot start agents is not told of them, nor who has no tools of servers of these."""
    if kind == AGENTS:
        return _has(tools, {"Agent"})
    return tools == "*" or tools.startswith(_ALL) or any(one.startswith("mcp__") for one in _named(tools))


def _has(tools: str, any_of: Collection[str]) -> bool:
    return tools == "*" or any((one in _named(tools)) is not tools.startswith(_ALL) for one in any_of)


def _named(tools: str) -> set[str]:
    return {one.strip() for one in tools.removeprefix(_ALL).split(",")}


def _note(words: str, *, exact: bool) -> Said:
    tagged = (text_block(f"<system-reminder>\n{words}\n</system-reminder>"),)
    return Said(Message("system", (text_block(words),), MessageKind.INJECTED), Place.NOTE, exact, tagged)
