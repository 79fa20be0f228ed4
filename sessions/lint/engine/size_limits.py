"""About how many tokens something is: enough to tell whether a prefix can be cached at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from sessions.lint.engine.reading import THINKING, text_of

PICTURE = 2_000
_TEXT, _JSON = 3, 1.5
"""Characters for a token, on the safe side: four for text and two for JSON, and a third more for good measure."""


def tokens_of(part: Mapping[str, Any]) -> int:
    match part.get("type"):
        case "text":
            return int(len(text_of(part.get("text"))) / _TEXT)
        case "image" | "document":
            return PICTURE
        case "tool_result":
            content = part.get("content")
            if isinstance(content, list):
                return sum(tokens_of(inner) for inner in content if isinstance(inner, Mapping))
            return int(len(text_of(content)) / _TEXT)
        case kind if kind in THINKING:
            return int(len(text_of(part.get("thinking")) or text_of(part.get("data"))) / _TEXT)
        case _:
            return int((size_of(part) or 0) / _JSON)


def size_of(value: object) -> int | None:
    """Bytes as JSON; None for what cannot be written as JSON."""
    plain = written(value)
    if plain is not None:
        return len(plain)
    try:
        # Slower, but it goes deeper and knows half characters.
        text = json.dumps(value, default=_plain, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return len(text.encode("utf-8", "surrogatepass"))


def written(value: object) -> bytes | None:
    """As JSON; None if it is no value of JSON, is nested very deeply, or holds half a character."""
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError
