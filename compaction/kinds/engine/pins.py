"""Restores what a mechanism has replaced in pinned messages, as if it had skipped them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compaction.kinds.engine.result import CompactionResult
from compaction.mechanisms.engine.report import ChangeKind, Report
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message
from sessions.usage.engine.tokens import TokenCounter


def put_back_pinned(applied: CompactionResult, pinned: Collection[str], counter: TokenCounter) -> CompactionResult:
    if not pinned:
        return applied
    originals = {message.uuid: message for message in applied.before if message.uuid in pinned and message.content}
    changed = {
        message.uuid: message
        for message in applied.after
        if message.uuid in originals and _words(message) != _words(originals[message.uuid])
    }
    held = {str(block.get("tool_use_id")) for message in originals.values() for block in message.content}
    if applied.cache_edits:
        applied = _spare_in_cache(applied, held)
    if not changed:
        return applied
    after = [originals[message.uuid] if message.uuid in changed else message for message in applied.after]
    regained = sum(counter(originals[uuid].content) - counter(message.content) for uuid, message in changed.items())
    tools = {str(block.get("tool_use_id")) for uuid in changed for block in originals[uuid].content}
    reports = tuple(_without(report, changed) for report in applied.reports)
    stays = plural(len(changed), "pinned message stays as it was", "pinned messages stay as they were")
    is_done = after != list(applied.before)
    return replace(
        applied,
        after=after if is_done else applied.before,
        tokens_after=applied.tokens_after + regained,
        reports=reports,
        done=is_done,
        why=f"{applied.why} {stays}.",
        persisted=tuple(result for result in applied.persisted if result.tool_use_id not in tools),
        records=tuple(_without_tools(record, tools) for record in applied.records),
    )


def _words(message: Message) -> list[Block]:
    """Thinking may have to be left out: it is no part of what was said."""
    return [block for block in message.content if block.get("type") not in THINKING_TYPES]


def _spare_in_cache(applied: CompactionResult, held: Collection[str]) -> CompactionResult:
    """Keeps pinned results in the model's cache."""
    deletions = [
        {**group, "edits": [edit for edit in group["edits"] if edit["cache_reference"] not in held]}
        for group in applied.cache_edits
    ]
    edits = tuple(group for group in deletions if group["edits"])
    before, after = (sum(len(group["edits"]) for group in groups) for groups in (applied.cache_edits, edits))
    if before == after:
        return applied
    why = f"{applied.why} {plural(before - after, 'pinned result stays', 'pinned results stay')} in the cache."
    return replace(applied, cache_edits=edits, beside={"cache_edits": list(edits)}, done=bool(edits), why=why)


def _without(report: Report, changed: Mapping[str, Message]) -> Report:
    kept = tuple(
        change for change in report.changes if change.uuid not in changed or change.kind is not ChangeKind.REPLACED
    )
    freed = sum(change.tokens_before - change.tokens_after for change in report.changes if change not in kept)
    return replace(report, changes=kept, tokens_after=report.tokens_after + freed)


def _without_tools(record: Mapping[str, Any], tools: Collection[str]) -> Mapping[str, Any]:
    if isinstance(replacements := record.get("replacements"), Sequence):
        return {**record, "replacements": [item for item in replacements if item.get("toolUseId") not in tools]}
    metadata = record.get("microcompactMetadata")
    if isinstance(metadata, Mapping):
        ids = [name for name in metadata["compactedToolIds"] if name not in tools]
        return {**record, "microcompactMetadata": {**metadata, "compactedToolIds": ids}}
    return record
