"""Blocks as hashes: short enough to compare whole requests, and the form in which recordings hold requests."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from sessions.context.engine.rendering.array import Element
from sessions.transcripts.engine.messages import Block

DIGITS = 24
_REMINDER = "<system-reminder>"
"""The client added a text that begins with this, whatever else the text quotes."""
_REMINDERS = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


def digest(block: Block) -> dict[str, Any]:
    """`sha256` is the hash of the block's text, `core` the same without reminders and surrounding white space."""
    words = hashed_text(block)
    core = _REMINDERS.sub("", words).strip() if _REMINDER in words else words.strip()
    summary: dict[str, Any] = {"type": block.get("type")}
    summary |= {name: block[name] for name in ("id", "name", "tool_use_id", "is_error") if name in block}
    summary |= {"chars": len(words), "sha256": short_hash(words), "core": short_hash(core)}
    if block.get("type") == "text" and words.lstrip().startswith(_REMINDER):
        summary["injected"] = True
    return summary


def digest_element(element: Element) -> dict[str, Any]:
    return {"role": element.role, "content": [digest(piece.block) for piece in element.pieces]}


def hashed_text(block: Block) -> str:
    """The text of a block that is hashed."""
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text"))
    if kind == "thinking":
        return str(block.get("thinking"))
    if kind == "tool_use":
        return canonical(block.get("input"))
    if kind == "tool_result":
        content = block.get("content")
        return content if isinstance(content, str) else canonical(content)
    return canonical({name: value for name, value in block.items() if name != "cache_control"})


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces, and nothing escaped that need not be."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def short_hash(words: str) -> str:
    return full_hash(words)[:DIGITS]


def full_hash(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
