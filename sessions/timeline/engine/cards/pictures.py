"""The images of a record, numbered in the order in which they stand in it."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from sessions.timeline.engine.cards.card import Picture
from sessions.timeline.engine.cards.safe_get import as_dict, as_list, as_text
from sessions.transcripts.engine.image_size import fit_box, image_size
from sessions.transcripts.engine.rows import Record, Row

SHOWABLE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types that a page may load. SVG is not among them because it can contain scripts."""
BOX = (320, 220)
"""The largest width and height of an image in a timeline."""


MAX_DEPTH = 8
"""Of results within results, which no client writes."""

OwnedSource = tuple[str, dict[str, Any]]
"""The id of the call whose result holds the image, and its source."""


def image_sources(record: Record) -> Iterator[dict[str, Any]]:
    """The base64 image sources of a record: in its message, tool results, a queued prompt or a file."""
    return (source for _, source in _owned_sources(record))


def _owned_sources(record: Record) -> Iterator[OwnedSource]:
    attachment = as_dict(record.get("attachment"))
    yield from _content_sources(as_dict(record.get("message")).get("content"))
    yield from _content_sources(attachment.get("prompt"))
    yield from (("", source) for source in _file_sources(as_dict(attachment.get("content"))))


def _content_sources(content: Any, owner: str = "", depth: int = 0) -> Iterator[OwnedSource]:
    for block in as_list(content):
        if not isinstance(block, dict):
            continue
        source = as_dict(block.get("source"))
        if block.get("type") == "image" and source.get("type") == "base64" and isinstance(source.get("data"), str):
            yield owner, source
        elif block.get("type") == "tool_result" and depth < MAX_DEPTH:
            yield from _content_sources(block.get("content"), owner or as_text(block.get("tool_use_id")), depth + 1)


def _file_sources(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    file = as_dict(content.get("file"))
    if content.get("type") == "image" and isinstance(file.get("base64"), str):
        yield {"media_type": file.get("type"), "data": file["base64"]}


def pictures_of(row: Row) -> tuple[Picture, ...]:
    return tuple(picture for _, picture in pictures_by_call(row))


def pictures_by_call(row: Row) -> Iterator[tuple[str, Picture]]:
    """Each picture with the id of the call whose result holds it."""
    for n, (owner, source) in enumerate(_owned_sources(row.record)):
        yield owner, _picture(row, n, source)


def _picture(row: Row, n: int, source: dict[str, Any]) -> Picture:
    data = source["data"]
    size = image_size(data)
    displayed_size = fit_box(size, *BOX) if size else None
    return Picture(
        row.address, n, as_text(source.get("media_type")) or "unknown type", len(data) * 3 // 4, displayed_size
    )


def load_image(record: Record, number: int) -> tuple[str, bytes] | None:
    """Media type and bytes of an image, or None if it does not exist or a browser must not show it."""
    for index, source in enumerate(image_sources(record)):
        if index == number:
            media_type = as_text(source.get("media_type")).lower()
            if media_type not in SHOWABLE:
                return None
            try:
                return media_type, b64decode(source["data"], validate=False)
            except (binascii.Error, ValueError):
                return None
    return None
