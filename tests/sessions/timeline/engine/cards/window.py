"""Rows and cards of a few records, as a timeline would make them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sessions.imports.engine.scan.content import content_of
from sessions.timeline.engine.cards import Card, Part, build_cards
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Mark
from sessions.transcripts.engine.rows import Record, Row

NOON = 1_760_000_000_000


def row(record: Record, position: int = 0, *, turn: int = 1, marks: tuple[Mark, ...] = ()) -> Row:
    kind = record.get("type")
    kind = kind if isinstance(kind, str) else ""
    flags, detail, *_ = content_of(kind, record)
    length = len(json.dumps(record))
    return Row(position, 0, length, kind, detail, NOON, turn, Flag(flags), record, marks)


def results_in(rows: Iterable[Row]) -> dict[str, Row]:
    values: dict[str, Row] = {}
    for item in rows:
        message = item.record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_result":
                tool_use_id = block.get("tool_use_id")
                if isinstance(tool_use_id, str):
                    values.setdefault(tool_use_id, item)
    return values


def unmasked(text: str) -> str:
    return text


def cards(*records: Record, whole: bool = False, at_end: bool = False) -> list[Card]:
    """The cards of these records, the results hidden as in a timeline."""
    rows = [row(record, position) for position, record in enumerate(records)]
    output = [item for item in rows if Flag.RESULT not in item.flags]
    return build_cards(output, results_in(rows), mask=unmasked, whole=whole, at_end=at_end)


def user(content: Any, **more: Any) -> Record:
    return {"type": "user", "uuid": "u-1", "message": {"role": "user", "content": content}, **more}


def assistant(*blocks: Any, **more: Any) -> Record:
    message = {"role": "assistant", "model": "model-a", "content": list(blocks)}
    return {"type": "assistant", "uuid": "a-1", "message": message, **more}


def call(name: str, given: Any, tool_use_id: str = "t-1") -> Record:
    return assistant({"type": "tool_use", "id": tool_use_id, "name": name, "input": given})


def result(content: Any, twin: Any = None, *, error: bool = False, tool_use_id: str = "t-1", **more: Any) -> Record:
    block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content, "is_error": error}
    return {**user([block], **more), "uuid": "r-1", "sourceToolAssistantUUID": "a-1", "toolUseResult": twin}


def single_card(*records: Record, whole: bool = False, at_end: bool = False) -> Card:
    (card,) = cards(*records, whole=whole, at_end=at_end)
    return card


def part(card: Card, kind: type[Part]) -> Any:
    """The card's only part of that kind."""
    (element,) = [part for part in card.parts if isinstance(part, kind)]
    return element
