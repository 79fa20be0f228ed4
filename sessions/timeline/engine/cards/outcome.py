"""A tool result as recorded: the text that the model got, its structured twin, and where the rest of it went."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sessions.text.engine.words import size
from sessions.timeline.engine.cards.card import Picture, Spill
from sessions.timeline.engine.cards.pictures import pictures, pictures_owned
from sessions.timeline.engine.cards.safe_get import (
    blocks,
    content_blocks,
    number,
    table,
    text,
)
from sessions.transcripts.engine.marks import Fate
from sessions.transcripts.engine.rows import Record, Row

CLEARED = "[Old tool result content cleared]"
_PERSISTED = re.compile(r"\s*<persisted-output>\s*([^\n]{0,2000})(.*)\Z", re.DOTALL)
_SAVED = re.compile(r"(?:Full output|Output has been) saved to:? ([^\n]{1,1000}?)(?:\.?\s*(?:\n|\Z)|\. )")
_TOO_LARGE = re.compile(r"too large \(([^)\n]{1,40})\)|result \(([\d,]{1,20} characters)")
_PREVIEW = re.compile(r"\s*Preview \([^)\n]{1,60}\):\n?")
_TAGS = re.compile(r"</?tool_use_error>")


@dataclass(frozen=True, slots=True)
class Outcome:
    row: Row
    text: str
    """What the model got, without the frame that says that the rest is on disk."""
    twin: Any
    error: bool
    denial: str
    cleared: bool
    """The text was replaced by a placeholder; what is left of the original comes from the twin."""
    spill: Spill | None
    references: tuple[str, ...]
    """Names of tools that the result made available."""
    documents: int

    @property
    def facts(self) -> dict[str, Any]:
        """The structured twin where it is a table."""
        return table(self.twin)


def results_of(record: Record) -> list[dict[str, Any]]:
    return [block for block in blocks(record) if block.get("type") == "tool_result"]


class Results:
    """The results of rows, sorted once a row: a record may hold thousands, and each is asked for by its call."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Row, int, dict[str, dict[str, Any]]]] = {}
        self._pictures: dict[int, dict[str, list[Picture]]] = {}

    def of(self, row: Row) -> tuple[int, dict[str, dict[str, Any]]]:
        """How many there are, and each by its id; the first one also under the empty name."""
        # The row stays with what is known of it, so that no other gets its place in memory.
        known = self._known.get(id(row))
        if known is None:
            found = results_of(row.record)
            named: dict[str, dict[str, Any]] = {"": found[0]} if found else {}
            for block in found:
                named.setdefault(text(block.get("tool_use_id")), block)
            known = self._known[id(row)] = (row, len(found), named)
        return known[1], known[2]

    def pictures(self, row: Row, tool_use_id: str) -> tuple[Picture, ...]:
        """Those of one result; where it is the only one, all of the record."""
        if self.of(row)[0] <= 1:
            return pictures(row)
        if id(row) not in self._pictures:
            named = self._pictures[id(row)] = {}
            for owner, picture in pictures_owned(row):
                named.setdefault(owner, []).append(picture)
        return tuple(self._pictures[id(row)].get(tool_use_id, ()))


def outcome(row: Row, tool_use_id: str, results: Results | None = None) -> Outcome | None:
    """The result of that call in the record, or of the first one there is when none has the id."""
    count, named = (results or Results()).of(row)
    block = named.get(tool_use_id) or named.get("")
    if block is None:
        return None
    inner = content_blocks(block.get("content"))
    words = "\n".join(text(part.get("text")) for part in inner if part.get("type") == "text")
    twin = row.record.get("toolUseResult") if count == 1 else None
    spill, words = _spill(words, table(twin))
    if any(mark.fate is Fate.PERSISTED for mark in row.marks) and spill is None:
        spill = Spill("", "")
    cleared = words.strip() == CLEARED
    return Outcome(
        row=row,
        text=_original(twin) if cleared else _TAGS.sub("", words),
        twin=twin,
        error=block.get("is_error") is True,
        denial=text(row.record.get("toolDenialKind")),
        cleared=cleared,
        spill=spill,
        references=tuple(text(part.get("tool_name")) for part in inner if part.get("type") == "tool_reference"),
        documents=sum(part.get("type") == "document" for part in inner),
    )


def _original(twin: Any) -> str:
    known = table(twin)
    return text(known.get("stdout")) or text(table(known.get("file")).get("content")) or text(known.get("content"))


def _spill(words: str, twin: dict[str, Any]) -> tuple[Spill | None, str]:
    path = text(twin.get("persistedOutputPath"))
    recorded = number(twin.get("persistedOutputSize"))
    frame = _PERSISTED.match(words)
    head = frame[1] if frame else words[:600] if "saved to" in words[:600] else ""
    saved = _SAVED.search(head) if head else None
    if not path and not frame and not (saved and "exceeds maximum" in head):
        return None, words
    path = path or (saved[1] if saved else "")
    large = _TOO_LARGE.search(head)
    extent = size(recorded) if recorded is not None else (large[1] or large[2] if large else "")
    if frame:
        words = _PREVIEW.sub("", frame[2], count=1).replace("</persisted-output>", "").strip("\n")
    return Spill(re.split(r"[\\/]", path.strip())[-1], extent), words
