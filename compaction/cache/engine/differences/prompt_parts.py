"""How tools and system prompt differ: which parts, by how much, and where first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compaction.cache.engine.differences.divergence import Divergence, DivergenceSide, byte_offset, edit_of
from compaction.cache.engine.requests.prompt import PromptPart
from sessions.text.engine.words import plural

_MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class PartsChange:
    summary: str
    sentence: str
    divergence: Divergence
    size: Mapping[str, int]


def find_tools_change(old: Sequence[PromptPart], new: Sequence[PromptPart]) -> PartsChange | None:
    if [part.content for part in old] == [part.content for part in new]:
        return None
    before, after = {part.name: part for part in old}, {part.name: part for part in new}
    added = [part.name for part in new if part.name not in before]
    removed = [part.name for part in old if part.name not in after]
    edits = {
        part.name: edit_of(before[part.name].content, part.content)
        for part in new
        if part.name in before and before[part.name].content != part.content
    }
    phrases = [
        *([f"{len(added)} added ({_list_names(added)})"] if added else []),
        *([f"{len(removed)} removed ({_list_names(removed)})"] if removed else []),
        *([_describe_rewritten({name: edit.summary() for name, edit in edits.items()})] if edits else []),
    ]
    size = {
        "added": len(added),
        "removed": len(removed),
        "changed": len(edits),
        "chars": sum(len(part.content) for part in new) - sum(len(part.content) for part in old),
    }
    summary = ", ".join(phrases) or "the same ones in another order"
    return PartsChange(summary, f"The tools changed: {summary}.", _first_divergence("tools", old, new), size)


def find_system_change(old: Sequence[PromptPart], new: Sequence[PromptPart]) -> PartsChange | None:
    if [part.content for part in old] == [part.content for part in new]:
        return None
    divergence = _first_divergence("system", old, new)
    added = removed = 0
    for index in range(max(len(old), len(new))):
        edit = edit_of(old[index].content if index < len(old) else "", new[index].content if index < len(new) else "")
        added, removed = added + edit.added, removed + edit.removed
    size = {"added": added, "removed": removed, "blocks": len(new) - len(old), "chars": added - removed}
    block = f"block {(_block_index(new, divergence) if divergence.new.path else _block_index(old, divergence)) + 1}"
    summary = f"+{added:,}/-{removed:,} chars, first in {block}"
    if divergence.offset:
        summary = f"{summary} at byte {divergence.offset:,}"
    return PartsChange(summary, f"The system prompt changed ({summary}).", divergence, size)


def _block_index(parts: Sequence[PromptPart], divergence: Divergence) -> int:
    path = divergence.new.path or divergence.old.path
    return next((part.index for part in parts if path == f"system[{part.index}]"), 0)


def _first_divergence(name: str, old: Sequence[PromptPart], new: Sequence[PromptPart]) -> Divergence:
    index = next(
        (i for i, (before, after) in enumerate(zip(old, new, strict=False)) if before.content != after.content), None
    )
    if index is None:
        index = min(len(old), len(new))
    new_part, old_part = (parts[index] if index < len(parts) else None for parts in (new, old))
    path = f"{name}[{(new_part or old_part or PromptPart(index, '', '')).index}]"
    offset = None
    if new_part is not None and old_part is not None:
        offset = byte_offset(new_part.content, edit_of(old_part.content, new_part.content).same_characters)
    return Divergence(name, path, offset, _side(name, old_part), _side(name, new_part))


def _side(name: str, part: PromptPart | None) -> DivergenceSide:
    return DivergenceSide() if part is None else DivergenceSide(f"{name}[{part.index}]", len(part.content))


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _describe_rewritten(edits: Mapping[str, str]) -> str:
    phrases = [f"{name} {words}" for name, words in edits.items()]
    return f"{plural(len(phrases), 'definition')} rewritten ({_list_names(phrases)})"
