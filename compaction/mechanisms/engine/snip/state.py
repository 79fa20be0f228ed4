"""What was snipped, as the transcript records it, and the size from which growth is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

SUBTYPES = ("snip_boundary", "snip-boundary")
_NAMESPACE = UUID("5f1c9a52-6f0e-4c8e-9d0b-0a3f6f2b7e11")


@dataclass(frozen=True, slots=True)
class Snip:
    uuid: str
    """The uuid of its record."""
    removed_uuids: tuple[str, ...]
    ids: tuple[str, ...] = ()
    """The short ids that were asked for."""
    reason: str = ""

    @property
    def why(self) -> str:
        """A sentence for people."""
        named = f" with the id {', '.join(self.ids)}" if self.ids else ""
        return f"Its turn{named} was snipped{f': {self.reason}' if self.reason else '.'}"


@dataclass(frozen=True, slots=True)
class SnipState:
    snips: tuple[Snip, ...] = ()
    baseline: int | None = 0
    """The size from which growth is counted; None: that of the next count."""
    removed: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        removed = frozenset(uuid for snip in self.snips for uuid in snip.removed_uuids)
        object.__setattr__(self, "removed", removed)

    def without(self, uuid: str) -> SnipState:
        """Undoes a snip: its turns are back in the context."""
        return SnipState(tuple(snip for snip in self.snips if snip.uuid != uuid), self.baseline)

    def to_records(self, session_id: str) -> list[dict[str, Any]]:
        return [
            {
                "type": "system",
                "subtype": SUBTYPES[0],
                "uuid": snip.uuid,
                "sessionId": session_id,
                "content": "Turns left the context",
                "snipMetadata": {
                    "removedUuids": list(snip.removed_uuids),
                    "ids": list(snip.ids),
                    "reason": snip.reason,
                },
            }
            for snip in self.snips
        ]

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], baseline: int | None = None) -> SnipState:
        return cls(tuple(snip for record in records if (snip := _snip(record)) is not None), baseline)

    def to_json(self) -> dict[str, Any]:
        return {"snips": self.to_records(""), "baseline": self.baseline}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> SnipState:
        return cls.from_records(saved["snips"], saved["baseline"])


def snip_uuid(removed: Sequence[str]) -> str:
    """The same snip has the same uuid wherever it is made."""
    return str(uuid5(_NAMESPACE, "\n".join(removed)))


def _snip(record: Mapping[str, Any]) -> Snip | None:
    metadata = record.get("snipMetadata")
    if record.get("type") != "system" or not isinstance(metadata, Mapping):
        return None
    removed = _strings(metadata.get("removedUuids"))
    uuid = record.get("uuid")
    reason = metadata.get("reason")
    return Snip(
        uuid if isinstance(uuid, str) else snip_uuid(removed),
        removed,
        _strings(metadata.get("ids")),
        reason if isinstance(reason, str) else "",
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
