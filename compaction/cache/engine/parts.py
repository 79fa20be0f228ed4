"""How tools and system prompt differ: which, by how much, and where first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compaction.cache.engine.place import (
    Place,
    Side,
    byte_offset,
    edit_of,
)
from compaction.cache.engine.prompt import Part
from sessions.text.engine.words import plural

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Told:
    what: str
    sentence: str
    place: Place
    size: Mapping[str, int]


def tool_changes(old: Sequence[Part], new: Sequence[Part]) -> Told | None:
    if [part.words for part in old] == [part.words for part in new]:
        return None
    before, after = {part.name: part for part in old}, {part.name: part for part in new}
    added = [part.name for part in new if part.name not in before]
    removed = [part.name for part in old if part.name not in after]
    edits = {
        part.name: edit_of(before[part.name].words, part.words)
        for part in new
        if part.name in before and before[part.name].words != part.words
    }
    told = [
        *([f"{len(added)} added ({_names(added)})"] if added else []),
        *([f"{len(removed)} removed ({_names(removed)})"] if removed else []),
        *([_rewritten({name: edit.words() for name, edit in edits.items()})] if edits else []),
    ]
    size = {
        "added": len(added),
        "removed": len(removed),
        "changed": len(edits),
        "chars": sum(len(part.words) for part in new) - sum(len(part.words) for part in old),
    }
    what = ", ".join(told) or "the same ones in another order"
    return Told(what, f"The tools changed: {what}.", _first("tools", old, new), size)


def system_changes(old: Sequence[Part], new: Sequence[Part]) -> Told | None:
    if [part.words for part in old] == [part.words for part in new]:
        return None
    place = _first("system", old, new)
    added = removed = 0
    for at in range(max(len(old), len(new))):
        edit = edit_of(old[at].words if at < len(old) else "", new[at].words if at < len(new) else "")
        added, removed = added + edit.added, removed + edit.removed
    size = {"added": added, "removed": removed, "blocks": len(new) - len(old), "chars": added - removed}
    where = f"block {(_last(new, place) if place.new.path else _last(old, place)) + 1}"
    what = f"+{added:,}/-{removed:,} chars, first in {where}"
    if place.offset:
        what = f"{what} at byte {place.offset:,}"
    return Told(what, f"The system prompt changed ({what}).", place, size)


def _last(parts: Sequence[Part], place: Place) -> int:
    path = place.new.path or place.old.path
    return next((part.place for part in parts if path == f"system[{part.place}]"), 0)


def _first(name: str, old: Sequence[Part], new: Sequence[Part]) -> Place:
    at = next((i for i, (one, other) in enumerate(zip(old, new, strict=False)) if one.words != other.words), None)
    if at is None:
        at = min(len(old), len(new))
    mine, other = (parts[at] if at < len(parts) else None for parts in (new, old))
    path = f"{name}[{(mine or other or Part(at, '', '')).place}]"
    offset = None
    if mine is not None and other is not None:
        offset = byte_offset(mine.words, edit_of(other.words, mine.words).same)
    return Place(name, path, offset, _side(name, other), _side(name, mine))


def _side(name: str, part: Part | None) -> Side:
    return Side() if part is None else Side(f"{name}[{part.place}]", len(part.words))


def _names(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _rewritten(edits: Mapping[str, str]) -> str:
    told = [f"{name} {words}" for name, words in edits.items()]
    return f"{plural(len(told), 'definition')} rewritten ({_names(told)})"
