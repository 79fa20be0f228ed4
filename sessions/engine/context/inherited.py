"""What a sub-agent is told in the course of its work and no record of its own holds: the agents and servers that the
main thread was told of. Versions that keep the facts of an attachment alone write it into the main transcript only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.engine.context.habits import Habits
from sessions.engine.context.rendering import Place, Said
from sessions.engine.context.wording import worded
from sessions.engine.linking.extras import mapping, text
from sessions.engine.messages import Kind, Message, text_block

AGENTS, SERVERS = "agent_listing_delta", "mcp_instructions_delta"
LISTS = (AGENTS, SERVERS)
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

    def said(self, habits: Habits) -> list[Said]:
        """Told once, with the results of the sub-agent's first answer."""
        if not habits.system_role or habits.writes_words:
            return []
        tools = self._tools()
        told = [kind for kind in LISTS if kind in self.lists and _concerns(kind, tools)]
        return [_note(words, exact=habits.words_known) for kind in told for words in worded(self.lists[kind])]

    def _tools(self) -> str:
        """As the list of agents has them: a list, all, or all but a few."""
        lines = self.lists.get(AGENTS, {}).get("addedLines")
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, str) and line.startswith(f"- {self.kind}: ") and (match := _TOOLS.search(line)):
                return match[1]
        return ""


def _concerns(kind: str, tools: str) -> bool:
    """Who cannot start agents is not told of them, nor who has no tools of servers of these."""
    named = {one.strip() for one in tools.removeprefix(_ALL).split(",")}
    if kind == SERVERS:
        return tools == "*" or tools.startswith(_ALL) or any(one.startswith("mcp__") for one in named)
    return tools == "*" or ("Agent" in named) is not tools.startswith(_ALL)


def _note(words: str, *, exact: bool) -> Said:
    tagged = (text_block(f"<system-reminder>\n{words}\n</system-reminder>"),)
    return Said(Message("system", (text_block(words),), Kind.INJECTED), Place.NOTE, exact, tagged)
