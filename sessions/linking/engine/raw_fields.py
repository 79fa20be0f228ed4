"""Reads fields of raw records. A value of a wrong type counts as absent, because transcripts are untrusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.transcripts.engine.keys import key_of

_NOTHING: Mapping[str, Any] = {}
_ZERO = "00000000-0000-0000-0000-000000000000"


def mapping(value: object) -> Mapping[str, Any]:
    # The first test decides nearly all rows, in a tenth of the time of the second.
    return value if type(value) is dict or isinstance(value, Mapping) else _NOTHING


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def key(value: object) -> int | None:
    """The key of an id. The all-zero uuid means "none": the client writes it when it clears a leaf."""
    return key_of(value) if isinstance(value, str) and value and value != _ZERO else None


def keys(value: object) -> list[int]:
    numbers = (key(item) for item in value) if isinstance(value, list) else ()
    return [number for number in numbers if number is not None]


def blocks(record: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    content = mapping(mapping(record).get("message")).get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, Mapping))


def prose(record: Mapping[str, Any] | None) -> str:
    """The text of a record, without surrounding white space."""
    return "\n".join(text(block.get("text")) for block in blocks(record) if block.get("type") == "text").strip()
