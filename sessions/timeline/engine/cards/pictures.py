"""The images of a record, numbered in the order in which they stand in it."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from sessions.timeline.engine.cards.card import Picture
from sessions.timeline.engine.cards.measure import fitted, measure
from sessions.timeline.engine.cards.safe_get import items, table, text
from sessions.transcripts.engine.rows import Record, Row

SHOWABLE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What a page may load from us. SVG is left out: it can carry script."""
BOX = (320, 220)
"""The largest width and height of an image in a timeline."""


DEEPEST = 8
"""Results within results: nobody nests them at all."""

Owned = tuple[str, dict[str, Any]]
"""The id of the call whose result holds it, and the source."""


def sources(record: Record) -> Iterator[dict[str, Any]]:
    """The base64 image sources of a record: in its message, in tool results, in a queued prompt, in a file."""
    return (source for _, source in _owned(record))


def _owned(record: Record) -> Iterator[Owned]:
    attachment = table(record.get("attachment"))
    yield from _within(table(record.get("message")).get("content"))
    yield from _within(attachment.get("prompt"))
    yield from (("", source) for source in _file(table(attachment.get("content"))))


def _within(content: Any, owner: str = "", depth: int = 0) -> Iterator[Owned]:
    for block in items(content):
        if not isinstance(block, dict):
            continue
        source = table(block.get("source"))
        if block.get("type") == "image" and source.get("type") == "base64" and isinstance(source.get("data"), str):
            yield owner, source
        elif block.get("type") == "tool_result" and depth < DEEPEST:
            yield from _within(block.get("content"), owner or text(block.get("tool_use_id")), depth + 1)


def _file(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    file = table(content.get("file"))
    if content.get("type") == "image" and isinstance(file.get("base64"), str):
        yield {"media_type": file.get("type"), "data": file["base64"]}


def pictures(row: Row) -> tuple[Picture, ...]:
    return tuple(picture for _, picture in pictures_owned(row))


def pictures_owned(row: Row) -> Iterator[tuple[str, Picture]]:
    """Each with the id of the call whose result holds it."""
    for n, (owner, source) in enumerate(_owned(row.record)):
        yield owner, _picture(row, n, source)


def _picture(row: Row, n: int, source: dict[str, Any]) -> Picture:
    data = source["data"]
    size = measure(data)
    shown = fitted(size, *BOX) if size else None
    return Picture(row.address, n, text(source.get("media_type")) or "unknown type", len(data) * 3 // 4, shown)


def load(record: Record, n: int) -> tuple[str, bytes] | None:
    """Media type and bytes of the `n`th image, or None where there is none that a browser may show."""
    for number, source in enumerate(sources(record)):
        if number == n:
            media_type = text(source.get("media_type")).lower()
            if media_type not in SHOWABLE:
                return None
            try:
                return media_type, b64decode(source["data"], validate=False)
            except (binascii.Error, ValueError):
                return None
    return None
