"""Writes small transcripts row by row. Rows hang on the last written one unless told otherwise."""

from __future__ import annotations

from typing import Any

from sessions.linking.engine import LinkedTranscript, LinkRow, link
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.marks import Fate

LAST = "(the row before)"
NONE = Flag(0)


def key(name: str | None) -> int | None:
    return None if name is None else key_of(name)


class Log:
    def __init__(self) -> None:
        self.rows: list[LinkRow] = []
        self.last: str | None = None
        self.uuids: list[str] = []

    def add(
        self,
        type: str,
        uuid: str | None = None,
        parent: str | None = LAST,
        *,
        detail: str = "",
        message: str | None = None,
        tool: str | None = None,
        flags: Flag = NONE,
        at: int | None = None,
        record: dict[str, Any] | None = None,
    ) -> int:
        position = len(self.rows)
        above = None if uuid is None else self.last if parent == LAST else parent
        if uuid is not None and above is None:
            flags |= Flag.ROOT
        self.rows.append(
            LinkRow(position, type, detail, key(uuid), key(above), key(message), key(tool), flags, record, at)
        )
        if uuid is not None:
            self.last = uuid
            self.uuids.append(uuid)
        return position

    def prompt(self, uuid: str, parent: str | None = LAST, *, flags: Flag = Flag.TYPED, at: int | None = None) -> int:
        return self.add("user", uuid, parent, flags=flags, at=at)

    def answer(self, uuid: str, parent: str | None = LAST, *, message: str = "", at: int | None = None) -> int:
        return self.add("assistant", uuid, parent, message=message or f"message of {uuid}", at=at)

    def call(self, uuid: str, tool: str, parent: str | None = LAST, *, message: str = "", detail: str = "Read") -> int:
        message = message or f"message of {uuid}"
        return self.add("assistant", uuid, parent, message=message, tool=tool, detail=detail, flags=Flag.CALL)

    def result(self, uuid: str, tool: str, parent: str | None = LAST) -> int:
        return self.add("user", uuid, parent, tool=tool, flags=Flag.RESULT)

    def note(self, uuid: str, parent: str | None = LAST, *, type: str = "attachment", detail: str = "") -> int:
        return self.add(type, uuid, parent, detail=detail)

    def state(self, type: str, **record: Any) -> int:
        return self.add(type, record=record)

    def leaf(self, uuid: str | None, **record: Any) -> int:
        return self.state("last-prompt", leafUuid=uuid, **record)

    def system(self, uuid: str, detail: str, parent: str | None = LAST, **record: Any) -> int:
        return self.add("system", uuid, parent, detail=detail, record=record)

    def boundary(self, uuid: str, logical: str | None = None, **metadata: Any) -> int:
        record = {"logicalParentUuid": logical, "compactMetadata": metadata}
        return self.add("system", uuid, None, detail="compact_boundary", flags=Flag.BOUNDARY, record=record)

    def summary(self, uuid: str, parent: str | None = LAST, **record: Any) -> int:
        return self.add("user", uuid, parent, flags=Flag.SUMMARY, record=record)

    def talk(self, *uuids: str) -> None:
        """Prompts and answers in turn."""
        for number, uuid in enumerate(uuids):
            if number % 2:
                self.answer(uuid)
            else:
                self.prompt(uuid)

    def link(self) -> LinkedTranscript:
        return link(self.rows)


def marks(linked: LinkedTranscript, *fates: Fate) -> list[tuple[int, int, str, int | None]]:
    """The marks of these fates (of all, if none is named), short enough to compare."""
    return [
        (mark.first, mark.last, mark.fate.value, mark.by) for mark in linked.marks if not fates or mark.fate in fates
    ]


def kept(head: str, anchor: str, tail: str, *uuids: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"preservedSegment": {"headUuid": head, "anchorUuid": anchor, "tailUuid": tail}}
    if uuids:
        metadata["preservedMessages"] = {"anchorUuid": anchor, "uuids": list(uuids), "allUuids": [*uuids, "unwritten"]}
    return metadata
