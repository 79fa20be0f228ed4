"""Records that change what is sent of earlier ones: snips, replaced and cleared results, collapsed spans."""

from __future__ import annotations

from dataclasses import dataclass, field

from sessions.linking.engine.raw_fields import key, keys, mapping, text
from sessions.linking.engine.rows import LinkRow

CLEARED = "[Old tool result content cleared]"


@dataclass(frozen=True, slots=True)
class CollapsedSpan:
    """A stretch of the chain that a summary replaced."""

    first: int
    last: int
    summary: str
    position: int
    """The position of the record that says so."""


@dataclass(slots=True)
class Overlays:
    snipped: dict[int, int] = field(default_factory=dict)
    """uuid -> the position of the record that removed it."""
    replaced: dict[str, tuple[str, int]] = field(default_factory=dict)
    """tool_use id -> what is sent instead of its result, and the position of the record that says so."""
    cleared: dict[str, int] = field(default_factory=dict)
    """tool_use id -> the position of the record that cleared its result."""
    hidden: dict[int, int] = field(default_factory=dict)
    """uuid of a cleared attachment -> the position of the record that cleared it."""
    spans: list[CollapsedSpan] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Is every record sent as it is?"""
        return not (self.snipped or self.replaced or self.cleared or self.hidden or self.spans)

    def feed(self, row: LinkRow) -> bool:
        """Returns whether the record changes what is sent of others."""
        extra = row.extra
        if extra is None:
            return False
        if row.type == "system":
            removed = keys(mapping(extra.get("snipMetadata")).get("removedUuids"))
            self.snipped.update((uuid, row.position) for uuid in removed)
            if row.detail == "microcompact_boundary":
                metadata = mapping(extra.get("microcompactMetadata"))
                self._clear(metadata.get("compactedToolIds"), metadata.get("clearedAttachmentUUIDs"), row.position)
                return True
            return bool(removed)
        if row.type == "content-replacement":
            return self._replace(extra.get("replacements"), row.position)
        if row.type == "marble-origami-commit":
            return self._collapse(row)
        if row.type == "marble-origami-reset":
            self.spans.clear()
            return True
        return False

    def _clear(self, tools: object, attachments: object, position: int) -> None:
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, str):
                self.cleared.setdefault(tool, position)
        for uuid in keys(attachments):
            self.hidden.setdefault(uuid, position)

    def _replace(self, replacements: object, position: int) -> bool:
        for value in replacements if isinstance(replacements, list) else ():
            replacement = mapping(value)
            tool = text(replacement.get("toolUseId")) or text(replacement.get("tool_use_id"))
            if tool:
                # The client never changes a replacement: the first one counts.
                self.replaced.setdefault(tool, (text(replacement.get("replacement")), position))
        return True

    def _collapse(self, row: LinkRow) -> bool:
        extra = mapping(row.extra)
        first, last = key(extra.get("firstArchivedUuid")), key(extra.get("lastArchivedUuid"))
        if first is None or last is None:
            return False
        self.spans.append(CollapsedSpan(first, last, text(extra.get("summaryContent")), row.position))
        return True
