"""Which deferred tools are gone. Results that brought their schemas are sent without them (2.1.197)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.rendering.lists import list_strings
from sessions.context.engine.rendering.records import LOADED, RenderedRecord
from sessions.linking.engine.raw_fields import mapping, text
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.messages import Block, replace_fields, text_block

CHANGE = "deferred_tools_delta"
_NONE: frozenset[str] = frozenset()
_REMOVED = "[Tool references removed - tools no longer available]"


@dataclass(slots=True)
class ToolLoading:
    removed: frozenset[str] = _NONE
    """Tools that were available and are gone now."""
    _removed_after: list[frozenset[str]] = field(default_factory=list)
    """The tools that are gone after each segment."""

    def advance(
        self,
        segments: Sequence[Segment],
        same: int,
        rows: Mapping[int, LinkRow],
        records: Callable[[int], Mapping[str, Any]],
    ) -> bool:
        """Take the segments of the next context, and return whether other tools are gone than before."""
        same = min(same, len(self._removed_after))
        del self._removed_after[same:]
        removed = self._removed_after[-1] if self._removed_after else _NONE
        for segment in segments[same:]:
            if removed:
                # A search waits for servers that are still connecting, so the tools that it finds are available.
                messages = (mapping(records(position).get("message")) for position in segment.results)
                removed = removed.difference(
                    _tools_of_same_servers(removed, [block for message in messages for block in _blocks(message)])
                )
            for position in segment.rest:
                if rows[position].detail == CHANGE:
                    change = mapping(records(position).get("attachment"))
                    back = (*list_strings(change.get("addedNames")), *list_strings(change.get("readdedNames")))
                    removed = removed.difference(back).union(list_strings(change.get("removedNames")))
            self._removed_after.append(removed)
        former, self.removed = self.removed, removed
        return former != removed

    def drop_removed(self, record: RenderedRecord) -> RenderedRecord:
        blocks = tuple(map(self._drop_references, record.message.content))
        if blocks == record.message.content:
            return record
        if not any(_references(block) for block in blocks):
            blocks = tuple(block for block in blocks if block.get("text") != LOADED)
        return replace(record, message=replace_fields(record.message, content=blocks))

    def _drop_references(self, block: Block) -> Block:
        references = _references(block)
        if not any(text(part.get("tool_name")) in self.removed for part in references):
            return block
        left = [part for part in block["content"] if text(part.get("tool_name")) not in self.removed]
        return {**block, "content": left or [text_block(_REMOVED)]}


def _tools_of_same_servers(removed: frozenset[str], blocks: Sequence[Block]) -> list[str]:
    """The tools whose server also has tools in these results."""
    brought = {_server(text(part.get("tool_name"))) for block in blocks for part in _references(block)}
    return [name for name in removed if _server(name) in brought]


def _server(tool: str) -> str:
    return tool.rpartition("__")[0]


def _blocks(message: Mapping[str, Any]) -> list[Block]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _references(block: Block) -> list[Mapping[str, Any]]:
    content = block.get("content")
    parts = [mapping(part) for part in content] if isinstance(content, list) else []
    return [part for part in parts if part.get("type") == "tool_reference"]
