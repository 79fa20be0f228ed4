"""Entries, as rows of the database and with their records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Mark

Record = dict[str, Any]


class EntryRow(NamedTuple):
    """A row of `transcripts_entry`. Statements take their columns from these fields, so the order is written once."""

    id: int
    offset: int
    length: int
    type: str
    detail: str
    uuid_key: int | None
    parent_key: int | None
    message_key: int | None
    tool_key: int | None
    at: int | None
    turn: int
    flags: int

    @property
    def transcript_id(self) -> int:
        return self.id >> POSITION_BITS

    @property
    def position(self) -> int:
        return self.id & POSITION_MASK


ENTRY_COLUMNS = ", ".join(f'"{name}"' for name in EntryRow._fields)


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its record, for the timeline, the cards and the exports."""

    position: int
    offset: int
    length: int
    type: str
    detail: str
    """Subtype, attachment type or tool name, whichever the type has."""
    at: int | None
    """Milliseconds since 1970, UTC."""
    turn: int
    flags: Flag
    record: Record
    marks: tuple[Mark, ...] = field(default=())
    damage: str = ""
    """Why the record cannot be read: then it is empty."""

    @property
    def uuid(self) -> str | None:
        uuid = self.record.get("uuid")
        return uuid if isinstance(uuid, str) else None

    @property
    def address(self) -> str:
        """The last part of its permalink: the uuid, or the line for records that have none."""
        return self.uuid or f"L{self.position}"


def make_row(entry: EntryRow, record: Record, damage: str = "") -> Row:
    return Row(
        entry.position,
        entry.offset,
        entry.length,
        entry.type,
        entry.detail,
        entry.at,
        entry.turn,
        Flag(entry.flags),
        record,
        damage=damage,
    )
