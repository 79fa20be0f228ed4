"""Notices what we do not know in a record: a reader that silently ignores new things is silently wrong.

Every record of an import is checked, so a known one must cost next to nothing: sets are compared first, names only if
they differ.
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
from sessions.imports.engine.known_names.records import METADATA_KEYS, PROGRESS_KEYS, RECORD_KEYS, SUBTYPES, KnownKeys

Unknown = tuple[str, str]

_LONGEST_NAME = 100
_MOST_NAMES = 50
"""For one record: a hostile one may have a million keys."""
_NOTHING: tuple[Unknown, ...] = ()
_JSON_NAMES = {dict: "object", list: "list", str: "string", bool: "boolean", type(None): "nothing"}


def find_unknowns(record: dict[str, Any]) -> tuple[Unknown, ...]:
    """(category, name) of everything in the record that is unknown. The category is "type", "subtype", "attachment",
    "progress", "block" or "key". Takes records of any shape."""
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in RECORD_KEYS:
        return (("type", _name_for_display(kind)),)
    known_keys = RECORD_KEYS[kind]
    unknowns: list[Unknown] = []
    if known_keys is not None and not known_keys.issuperset(record):
        unknowns += _unknown_keys(kind, record, known_keys)
    if "message" in record:
        _check_message(kind, record["message"], unknowns)
    elif kind == "system":
        _check_system(record, unknowns)
    elif kind == "attachment":
        _check_tagged("attachment", record.get("attachment"), ATTACHMENT_KEYS, unknowns)
    elif kind == "progress":
        _check_tagged("progress", record.get("data"), PROGRESS_KEYS, unknowns)
    return tuple(dict.fromkeys(unknowns))[:_MOST_NAMES] if unknowns else _NOTHING


def _check_message(kind: str, message: object, unknowns: list[Unknown]) -> None:
    if not isinstance(message, dict):
        unknowns.append(("key", f"{kind}.message{_json_type(message)}"))
        return
    if not MESSAGE_KEYS.issuperset(message):
        unknowns += _unknown_keys("message", message, MESSAGE_KEYS)
    content = message.get("content")
    if isinstance(content, list):
        for block in content:
            _check_block(block, unknowns)
    elif not isinstance(content, str):
        unknowns.append(("key", f"message.content{_json_type(content)}"))
    usage = message.get("usage")
    if isinstance(usage, dict):
        if not USAGE_KEYS.issuperset(usage):
            unknowns += _unknown_keys("usage", usage, USAGE_KEYS)
        written = usage.get("cache_creation")
        if isinstance(written, dict) and not CACHE_CREATION_KEYS.issuperset(written):
            unknowns += _unknown_keys("usage.cache_creation", written, CACHE_CREATION_KEYS)


def _check_block(block: object, unknowns: list[Unknown]) -> None:
    if not isinstance(block, dict):
        unknowns.append(("block", _json_type(block)))
        return
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in BLOCK_KEYS:
        unknowns.append(("block", _name_for_display(kind)))
        return
    known_keys = BLOCK_KEYS[kind]
    if known_keys is not None and not known_keys.issuperset(block):
        unknowns += _unknown_keys(f"block.{kind}", block, known_keys)
    if kind == "tool_result" and isinstance(content := block.get("content"), list):
        for inner in content:
            inner_kind = inner.get("type") if isinstance(inner, dict) else None
            if not isinstance(inner_kind, str) or inner_kind not in RESULT_BLOCKS:
                unknowns.append(("block", _shorten(f"tool_result.{_name_for_display(inner_kind)}")))


def _check_system(record: dict[str, Any], unknowns: list[Unknown]) -> None:
    subtype = record.get("subtype")
    if subtype is not None and (not isinstance(subtype, str) or subtype not in SUBTYPES):
        unknowns.append(("subtype", _name_for_display(subtype)))
    for name, known_keys in METADATA_KEYS.items():
        metadata = record.get(name)
        if isinstance(metadata, dict) and not known_keys.issuperset(metadata):
            unknowns += _unknown_keys(name, metadata, known_keys)


def _check_tagged(category: str, value: object, types: dict[str, KnownKeys], unknowns: list[Unknown]) -> None:
    if not isinstance(value, dict):
        unknowns.append((category, _json_type(value)))
        return
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in types:
        unknowns.append((category, _name_for_display(kind)))
        return
    known_keys = types[kind]
    if known_keys is not None and not known_keys.issuperset(value):
        unknowns += _unknown_keys(f"{category}.{kind}", value, known_keys)


def _unknown_keys(owner: str, value: dict[str, Any], known_keys: frozenset[str]) -> Iterator[Unknown]:
    for key in islice((key for key in value if key not in known_keys), _MOST_NAMES):
        yield "key", _shorten(f"{owner}.{'(number)' if key.isdecimal() else key}")


def _name_for_display(name: object) -> str:
    return _shorten(name) if isinstance(name, str) else _json_type(name)


def _json_type(value: object) -> str:
    """The JSON type, in brackets so that nobody takes it for a name."""
    return f"({_JSON_NAMES.get(type(value), 'number')})"


def _shorten(name: str) -> str:
    return name[:_LONGEST_NAME]
