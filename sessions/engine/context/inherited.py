"""What a sub-agent is told in the course of its work and no record holds: the agents and servers that the main thread
was told of, and reminders. Versions that keep the facts of an attachment alone write none of it into its file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.engine.context.habits import Habits
from sessions.engine.context.reminders import TASKS
from sessions.engine.context.rendering import Place, Said
from sessions.engine.context.wording import worded
from sessions.engine.linking.extras import mapping, text
from sessions.engine.messages import Kind, Message, text_block

AGENTS, SERVERS = "agent_listing_delta", "mcp_instructions_delta"
LISTS = (AGENTS, SERVERS)
_REMINDER = {"type": "task_reminder"}
_TOOLS = re.compile(r"\(Tools: ([^()]*)\)\s*$")
_ALL = "All tools except "


@dataclass(frozen=True, slots=True)
class Inherited:
    kind: str
    """Of the sub-agent."""
    lists: Mapping[str, Mapping[str, Any]]
    """Type of an attachment -> the newest of the main thread when the sub-agent began."""

    @classmethod
    def of(cls, kind: str, records: Iterable[Mapping[str, Any]]) -> Inherited:
        """`records`: those of the main transcript that hold lists, in file order."""
        found = (mapping(record.get("attachment")) for record in records)
        return cls(kind, {text(attachment.get("type")): attachment for attachment in found})

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
                return match[1]
        return ""


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
    return Said(Message("system", (text_block(words),), Kind.INJECTED), Place.NOTE, exact, tagged)
