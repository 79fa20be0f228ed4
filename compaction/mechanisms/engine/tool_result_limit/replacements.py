"""Which results were permanently replaced by which text: the decisions of the result budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compaction.mechanisms.engine.conversation.calls import results_of
from sessions.transcripts.engine.messages import Message

RECORD = "content-replacement"
_KIND = "tool-result"


@dataclass(frozen=True, slots=True)
class ContentReplacementState:
    """The decision for each result. The object never changes, so a fork can start from its parent's."""

    replacements: Mapping[str, str] = field(default_factory=dict)
    """Tool use id -> the text that stands for the result."""
    seen: frozenset[str] = frozenset()
    """All results that were looked at: those without a replacement stay in full."""

    def without(self, tool_use_id: str) -> ContentReplacementState:
        """Undoes one replacement for good."""
        remaining = {tool: text for tool, text in self.replacements.items() if tool != tool_use_id}
        return ContentReplacementState(remaining, self.seen | {tool_use_id})

    def to_record(self, session_id: str, agent_id: str = "", only: Iterable[str] | None = None) -> dict[str, Any]:
        """A record for the transcript, with all replacements or `only` some."""
        ids = self.replacements.keys() if only is None else only
        replacements = [{"kind": _KIND, "toolUseId": tool, "replacement": self.replacements[tool]} for tool in ids]
        agent = {"agentId": agent_id} if agent_id else {}
        return {"type": RECORD, "sessionId": session_id, **agent, "replacements": replacements}

    @classmethod
    def from_records(
        cls, records: Iterable[Mapping[str, Any]], messages: Sequence[Message] = ()
    ) -> ContentReplacementState:
        """Reads the records of a transcript. The results in `messages` were already sent the way the records say."""
        replacements: dict[str, str] = {}
        for record in records:
            listed = record.get("replacements") if record.get("type") == RECORD else None
            for entry in listed if isinstance(listed, list) else ():
                tool, text = (
                    (entry.get("toolUseId"), entry.get("replacement")) if isinstance(entry, Mapping) else (None, None)
                )
                if isinstance(tool, str) and isinstance(text, str):
                    replacements.setdefault(tool, text)
        seen_ids = {result.tool_use_id for result in results_of(messages)}
        return cls(replacements, frozenset(seen_ids | replacements.keys()))

    def to_json(self) -> dict[str, Any]:
        return {"replacements": dict(self.replacements), "seen": sorted(self.seen)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> ContentReplacementState:
        return cls(dict(saved["replacements"]), frozenset(saved["seen"]))
