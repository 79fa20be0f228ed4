"""Tool results as recorded: the text that the model got, its structured twin, and the file with the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sessions.text.engine.words import size
from sessions.timeline.engine.cards.card import Picture, Spill
from sessions.timeline.engine.cards.pictures import pictures_by_call, pictures_of
from sessions.timeline.engine.cards.safe_get import as_dict, as_number, as_text, content_blocks, record_blocks
from sessions.transcripts.engine.marks import Fate
from sessions.transcripts.engine.rows import Record, Row

CLEARED = "[Old tool result content cleared]"
_PERSISTED = re.compile(r"\s*<persisted-output>\s*([^\n]{0,2000})(.*)\Z", re.DOTALL)
_SAVED = re.compile(r"(?:Full output|Output has been) saved to:? ([^\n]{1,1000}?)(?:\.?\s*(?:\n|\Z)|\. )")
_TOO_LARGE = re.compile(r"too large \(([^)\n]{1,40})\)|result \(([\d,]{1,20} characters)")
_PREVIEW = re.compile(r"\s*Preview \([^)\n]{1,60}\):\n?")
_TAGS = re.compile(r"</?tool_use_error>")


@dataclass(frozen=True, slots=True)
class ToolResult:
    row: Row
    text: str
    """What the model got, without the note that the rest is on disk."""
    twin: Any
    error: bool
    denial: str
    cleared: bool
    """The text is a placeholder, and `text` holds what the twin still has of the original."""
    spill: Spill | None
    references: tuple[str, ...]
    """Names of tools that the result made available."""
    documents: int

    @property
    def facts(self) -> dict[str, Any]:
        """The structured twin, or nothing if it is no object."""
        return as_dict(self.twin)


def results_of(record: Record) -> list[dict[str, Any]]:
    return [block for block in record_blocks(record) if block.get("type") == "tool_result"]


class ResultsByCall:
    """Indexes the results of each row once: a record may hold thousands, and each is looked up by its call."""

    def __init__(self) -> None:
        self._cache: dict[int, tuple[Row, int, dict[str, dict[str, Any]]]] = {}
        self._pictures: dict[int, dict[str, list[Picture]]] = {}

    def read(self, row: Row) -> tuple[int, dict[str, dict[str, Any]]]:
        """The number of results in a row, and each by the id of its call; the first one also under ""."""
        # The row is kept with its results, so that no other row can get the same id().
        cached = self._cache.get(id(row))
        if cached is None:
            blocks = results_of(row.record)
            by_id: dict[str, dict[str, Any]] = {"": blocks[0]} if blocks else {}
            for block in blocks:
                by_id.setdefault(as_text(block.get("tool_use_id")), block)
            cached = self._cache[id(row)] = (row, len(blocks), by_id)
        return cached[1], cached[2]

    def pictures(self, row: Row, tool_use_id: str) -> tuple[Picture, ...]:
        """The pictures of one result, or all of the record if it has only one."""
        if self.read(row)[0] <= 1:
            return pictures_of(row)
        if id(row) not in self._pictures:
            by_owner = self._pictures[id(row)] = {}
            for owner, picture in pictures_by_call(row):
                by_owner.setdefault(owner, []).append(picture)
        return tuple(self._pictures[id(row)].get(tool_use_id, ()))


def find_result(row: Row, tool_use_id: str, results: ResultsByCall | None = None) -> ToolResult | None:
    """The result of this call in the record, or the first one if no result has the id."""
    count, by_id = (results or ResultsByCall()).read(row)
    block = by_id.get(tool_use_id) or by_id.get("")
    if block is None:
        return None
    inner = content_blocks(block.get("content"))
    words = "\n".join(as_text(part.get("text")) for part in inner if part.get("type") == "text")
    twin = row.record.get("toolUseResult") if count == 1 else None
    spill, words = _spill(words, as_dict(twin))
    if any(mark.fate is Fate.PERSISTED for mark in row.marks) and spill is None:
        spill = Spill("", "")
    cleared = words.strip() == CLEARED
    return ToolResult(
        row=row,
        text=_original(twin) if cleared else _TAGS.sub("", words),
        twin=twin,
        error=block.get("is_error") is True,
        denial=as_text(row.record.get("toolDenialKind")),
        cleared=cleared,
        spill=spill,
        references=tuple(as_text(part.get("tool_name")) for part in inner if part.get("type") == "tool_reference"),
        documents=sum(part.get("type") == "document" for part in inner),
    )


def _original(twin: Any) -> str:
    values = as_dict(twin)
    return (
        as_text(values.get("stdout"))
        or as_text(as_dict(values.get("file")).get("content"))
        or as_text(values.get("content"))
    )


def _spill(words: str, twin: dict[str, Any]) -> tuple[Spill | None, str]:
    path = as_text(twin.get("persistedOutputPath"))
    recorded = as_number(twin.get("persistedOutputSize"))
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
