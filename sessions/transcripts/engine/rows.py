"""One entry with its record: what the timeline, the cards and the exports work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Mark

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
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
