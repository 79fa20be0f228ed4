"""What we know of records, and what in one of them we do not know.

A reader that ignores new things silently is wrong without saying so. `unknowns` looks at every record of an import,
so a known one must cost next to nothing: set comparisons first, names only on a miss.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sessions.imports.engine.known_names.attachments import ATTACHMENT_KEYS
from sessions.imports.engine.known_names.messages import (
    BLOCK_KEYS,
    CACHE_CREATION_KEYS,
    MESSAGE_KEYS,
    RESULT_BLOCKS,
    USAGE_KEYS,
)
from sessions.imports.engine.known_names.records import (
    ACCUMULATING,
    CHAIN_TYPES,
    METADATA_KEYS,
    PROGRESS_KEYS,
    RECORD_KEYS,
    SUBTYPES,
    KnownKeys,
)

__all__ = ["accumulates", "find_unknowns", "is_chain"]

Unknown = tuple[str, str]

_LONGEST_NAME = 100
_MOST = 50
"""Of one record. A hostile one may have a million keys."""
_NOTHING: tuple[Unknown, ...] = ()
_JSON_NAMES = {dict: "object", list: "list", str: "string", bool: "boolean", type(None): "nothing"}


def is_chain(kind: str) -> bool:
    """Is it a link of the conversation, with a uuid and a parent?"""
    return kind in CHAIN_TYPES


def accumulates(kind: str) -> bool:
    """Does each of these state records count, rather than only the last?"""
    return kind in ACCUMULATING


def find_unknowns(record: dict[str, Any]) -> tuple[Unknown, ...]:
    """(what, name) of each thing in the record that we do not know; what is "type", "subtype", "attachment",
    "progress", "block" or "key". Takes any shapes."""
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in RECORD_KEYS:
        return (("type", _shown(kind)),)
    known = RECORD_KEYS[kind]
    found: list[Unknown] = []
    if known is not None and not known.issuperset(record):
        found += _keys(kind, record, known)
    if "message" in record:
        _look_at_message(kind, record["message"], found)
    elif kind == "system":
        _look_at_system(record, found)
    elif kind == "attachment":
        _look_at_tagged("attachment", record.get("attachment"), ATTACHMENT_KEYS, found)
    elif kind == "progress":
        _look_at_tagged("progress", record.get("data"), PROGRESS_KEYS, found)
    return tuple(dict.fromkeys(found))[:_MOST] if found else _NOTHING


def _look_at_message(kind: str, message: object, found: list[Unknown]) -> None:
    if not isinstance(message, dict):
        found.append(("key", f"{kind}.message{_shape(message)}"))
        return
    if not MESSAGE_KEYS.issuperset(message):
        found += _keys("message", message, MESSAGE_KEYS)
    content = message.get("content")
    if isinstance(content, list):
        for block in content:
            _look_at_block(block, found)
    elif not isinstance(content, str):
        found.append(("key", f"message.content{_shape(content)}"))
    usage = message.get("usage")
    if isinstance(usage, dict):
        if not USAGE_KEYS.issuperset(usage):
            found += _keys("usage", usage, USAGE_KEYS)
        written = usage.get("cache_creation")
        if isinstance(written, dict) and not CACHE_CREATION_KEYS.issuperset(written):
            found += _keys("usage.cache_creation", written, CACHE_CREATION_KEYS)


def _look_at_block(block: object, found: list[Unknown]) -> None:
    if not isinstance(block, dict):
        found.append(("block", _shape(block)))
        return
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in BLOCK_KEYS:
        found.append(("block", _shown(kind)))
        return
    known = BLOCK_KEYS[kind]
    if known is not None and not known.issuperset(block):
        found += _keys(f"block.{kind}", block, known)
    if kind == "tool_result" and isinstance(content := block.get("content"), list):
        for inner in content:
            inner_kind = inner.get("type") if isinstance(inner, dict) else None
            if not isinstance(inner_kind, str) or inner_kind not in RESULT_BLOCKS:
                found.append(("block", _cut(f"tool_result.{_shown(inner_kind)}")))


def _look_at_system(record: dict[str, Any], found: list[Unknown]) -> None:
    subtype = record.get("subtype")
    if subtype is not None and (not isinstance(subtype, str) or subtype not in SUBTYPES):
        found.append(("subtype", _shown(subtype)))
    for name, known in METADATA_KEYS.items():
        metadata = record.get(name)
        if isinstance(metadata, dict) and not known.issuperset(metadata):
            found += _keys(name, metadata, known)


def _look_at_tagged(what: str, value: object, types: dict[str, KnownKeys], found: list[Unknown]) -> None:
    if not isinstance(value, dict):
        found.append((what, _shape(value)))
        return
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in types:
        found.append((what, _shown(kind)))
        return
    known = types[kind]
    if known is not None and not known.issuperset(value):
        found += _keys(f"{what}.{kind}", value, known)


def _keys(where: str, value: dict[str, Any], known: frozenset[str]) -> Iterator[Unknown]:
    for key in islice((key for key in value if key not in known), _MOST):
        yield "key", _cut(f"{where}.{'(number)' if key.isdecimal() else key}")


def _shown(name: object) -> str:
    return _cut(name) if isinstance(name, str) else _shape(name)


def _shape(value: object) -> str:
    """The JSON word for it, in brackets so that it cannot be taken for a name."""
    return f"({_JSON_NAMES.get(type(value), 'number')})"


def _cut(name: str) -> str:
    return name[:_LONGEST_NAME]
