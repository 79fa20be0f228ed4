"""The input of linking: one narrow row per record, and the raw record only for the few kinds that refer to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import EntryRow

_CALL = int(Flag.CALL)
_SUMMARY = int(Flag.SUMMARY)
_SIDE_ROOT = int(Flag.SIDECHAIN | Flag.ROOT)

_SYSTEM = frozenset({"compact_boundary", "microcompact_boundary"})
_STATE = frozenset(
    {"last-prompt", "content-replacement", "marble-origami-commit", "marble-origami-snapshot", "marble-origami-reset"}
)


class LinkRow(Struct, frozen=True, gc=False):
    """One record of a transcript file. Ids are keys (`sessions.transcripts.engine.keys`)."""

    position: int
    type: str
    detail: str
    """System subtype, attachment type or tool name."""
    uuid: int | None
    parent: int | None
    message: int | None
    """Of an assistant record: its `message.id`."""
    tool: int | None
    """The (first) tool_use id that the record makes or answers."""
    flags: int
    extra: Mapping[str, Any] | None = None
    """The raw record, for the kinds that `needs_record` names."""
    at: int | None = None
    """When it was written: a replayed record keeps its time, a new prompt has a new one."""


def link_row(entry: EntryRow, extra: Mapping[str, Any] | None = None) -> LinkRow:
    return LinkRow(
        entry.position,
        entry.type,
        entry.detail,
        entry.uuid_key,
        entry.parent_key,
        entry.message_key,
        entry.tool_key,
        entry.flags,
        extra,
        entry.at,
    )


def needs_record(type: str, detail: str, flags: int) -> bool:
    """Whether linking has to read the record itself.

    Only `Task` calls count, not `Agent` ones: sub-agents were written into the main file only while the tool was
    called `Task`.
    """
    if type == "system":
        return detail in _SYSTEM or "snip" in detail
    if type == "user":
        bits = int(flags)
        return bool(bits & _SUMMARY) or bits & _SIDE_ROOT == _SIDE_ROOT
    if type == "assistant":
        return detail == "Task" and bool(int(flags) & _CALL)
    return type in _STATE


def positions_to_read(rows: Sequence[LinkRow]) -> list[int]:
    """The positions whose records a full link of these rows reads: fewer than `needs_record` allows for.

    Of the many `last-prompt` records only the last counts, and `Task` calls only matter beside inline sub-agents.
    """
    has_inline_agents = any(int(row.flags) & _SIDE_ROOT == _SIDE_ROOT for row in rows if row.type == "user")
    positions: list[int] = []
    last_prompt: int | None = None
    for row in rows:
        if row.type == "last-prompt":
            last_prompt = row.position
        elif (row.type != "assistant" or has_inline_agents) and needs_record(row.type, row.detail, row.flags):
            positions.append(row.position)
    return positions if last_prompt is None else sorted([*positions, last_prompt])
