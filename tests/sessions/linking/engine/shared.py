"""Real transcripts outside of the repository, as link rows. Tests that use them skip when they are not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sessions.linking.engine import LinkRow, needs_record
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of

_INJECTED = (
    "<local-command-",
    "<command-name>",
    "<command-message>",
    "<bash-",
    "<task-notification>",
    "<system-reminder>",
    "[Request interrupted by user",
    "Caveat:",
)


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Every whole object of a file; glued ones apart, broken ones left out."""
    decoder = json.JSONDecoder()
    for line in path.read_bytes().split(b"\n"):
        text = line.decode("utf-8", "replace").strip()
        while text:
            try:
                value, end = decoder.raw_decode(text)
            except ValueError:
                break
            if isinstance(value, dict):
                yield value
            text = text[end:].strip()


@cache
def link_rows(path: Path) -> list[LinkRow]:
    return [link_row(position, record) for position, record in enumerate(records(path))]


def link_row(position: int, record: dict[str, Any]) -> LinkRow:
    kind = str(record.get("type"))
    blocks = list(_blocks(record))
    call = next((block for block in blocks if block.get("type") == "tool_use"), None)
    result = next((block for block in blocks if block.get("type") == "tool_result"), None)
    flags = _flags(record, kind, blocks, call is not None, result is not None)
    detail = _detail(record, kind, call)
    tool = (call or {}).get("id") if call else (result or {}).get("tool_use_id")
    message = record.get("message")
    return LinkRow(
        position,
        kind,
        detail,
        _key(record.get("uuid")),
        _key(record.get("parentUuid")) if record.get("uuid") else None,
        _key(message.get("id")) if kind == "assistant" and isinstance(message, dict) else None,
        _key(tool),
        flags,
        record if needs_record(kind, detail, flags) else None,
    )


def _key(value: object) -> int | None:
    return key_of(value) if isinstance(value, str) else None


def _blocks(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def _detail(record: dict[str, Any], kind: str, call: dict[str, Any] | None) -> str:
    if kind == "system":
        return str(record.get("subtype") or "")
    if kind == "attachment":
        return str((record.get("attachment") or {}).get("type") or "")
    return str(call.get("name") or "") if call else ""


def _flags(record: dict[str, Any], kind: str, blocks: list[dict[str, Any]], call: bool, result: bool) -> Flag:
    flags = Flag(0)
    text = "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    typed = not (result or record.get("isMeta") or record.get("isCompactSummary") or text.startswith(_INJECTED))
    for flag, there in (
        (Flag.SIDECHAIN, record.get("isSidechain")),
        (Flag.META, record.get("isMeta")),
        (Flag.SUMMARY, record.get("isCompactSummary")),
        (Flag.BOUNDARY, record.get("subtype") == "compact_boundary"),
        (Flag.CALL, call),
        (Flag.RESULT, kind == "user" and result),
        (Flag.ROOT, record.get("uuid") and record.get("parentUuid") is None),
        (Flag.TYPED, kind == "user" and typed),
    ):
        if there:
            flags |= flag
    return flags
