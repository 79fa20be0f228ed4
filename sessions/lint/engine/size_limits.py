"""Roughly how many tokens and bytes something has: enough to tell whether a prefix can be cached at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from sessions.lint.engine.request_reader import text_of
from sessions.transcripts.engine.messages import THINKING_TYPES

PICTURE = 2_000
_TEXT, _JSON = 3, 1.5
"""Characters per token: four for text and two for JSON, less a quarter to be on the safe side."""


def estimate_tokens(part: Mapping[str, Any]) -> int:
    match part.get("type"):
        case "text":
            return int(len(text_of(part.get("text"))) / _TEXT)
        case "image" | "document":
            return PICTURE
        case "tool_result":
            content = part.get("content")
            if isinstance(content, list):
                return sum(estimate_tokens(inner) for inner in content if isinstance(inner, Mapping))
            return int(len(text_of(content)) / _TEXT)
        case kind if kind in THINKING_TYPES:
            return int(len(text_of(part.get("thinking")) or text_of(part.get("data"))) / _TEXT)
        case _:
            return int((json_size(part) or 0) / _JSON)


def json_size(value: object) -> int | None:
    """The size as JSON in bytes; None if it cannot be written as JSON."""
    plain = to_json(value)
    if plain is not None:
        return len(plain)
    try:
        # Slower, but it handles deeper nesting and half characters.
        text = json.dumps(value, default=_plain, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return len(text.encode("utf-8", "surrogatepass"))


def to_json(value: object) -> bytes | None:
    """The value as JSON; None if it is not possible, is nested very deeply, or holds half a character."""
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError
