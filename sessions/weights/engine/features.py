"""The features of a content block that decide its number of tokens: how many characters of which sort, and how large
its pictures are."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import orjson

from sessions.transcripts.engine.image_size import image_size

PIXELS_PER_TOKEN = 750
LONGEST_EDGE = 1568
MOST_PICTURE_TOKENS = 1600
UNKNOWN_PICTURE = 1_000
TOKENS_PER_PAGE = 2_000
"""Of a document: the text and the picture of a page."""
_PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")
DIGITS = b"0123456789"
LOADED_TOOL = 800
"""Tokens of a tool that was looked up: the API puts its definition in the place of its name."""


class Content(StrEnum):
    """Sorts of content whose characters weigh differently."""

    PROSE = "prose"
    """What was typed, injected or summarised."""
    ANSWER = "answer"
    INPUT = "input"
    """The arguments of a call."""
    RESULT = "result"
    THINKING = "thinking"
    DATA = "data"
    """Anything else, as JSON; tool definitions among it."""


class Features(NamedTuple):
    content: Content
    plain: int = 0
    digits: int = 0
    lines: int = 0
    wide: int = 0
    """Bytes beyond one for each character, in UTF-8."""
    pictures: int = 0
    """Tokens of pictures, documents and loaded tools, which depend on no rate."""


def features_of(block: Mapping[str, Any], *, answer: bool = False) -> Features:
    """`answer`: whether the model wrote it."""
    kind = block.get("type")
    if kind == "text":
        return _measure(Content.ANSWER if answer else Content.PROSE, _text(block.get("text")))
    if kind == "tool_result":
        return _result(block.get("content"))
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return _measure(Content.INPUT, _text(block.get("name")) + _json(block.get("input")))
    if kind in ("thinking", "redacted_thinking"):
        # The signature holds the whole thought, encrypted; the text may be a summary of it, or missing.
        thought, words = _text(block.get("signature") or block.get("data")), _text(block.get("thinking"))
        return Features(Content.THINKING, max(len(thought), len(words)))
    if kind in ("image", "document"):
        return Features(Content.DATA, pictures=picture_tokens(block))
    if kind == "tool_reference":
        return Features(Content.DATA, pictures=LOADED_TOOL)
    if kind == "advisor_tool_result":
        # What the advisor said is encrypted, like a thought: only counts tell how long it is.
        return Features(Content.THINKING, len(_json(block)))
    if kind == "compaction":
        return _measure(Content.PROSE, _text(block.get("content")))
    return _measure(Content.DATA, _json(block))


def _result(content: Any) -> Features:
    if isinstance(content, str):
        return _measure(Content.RESULT, content)
    total = Features(Content.RESULT)
    for part in content if isinstance(content, list) else ():
        features = features_of(part) if isinstance(part, Mapping) else _measure(Content.RESULT, _json(part))
        total = Features(Content.RESULT, *(a + b for a, b in zip(total[1:], features[1:], strict=True)))
    return total


def _measure(content: Content, text: str) -> Features:
    encoded = text.encode("utf-8", "surrogatepass")
    digits = len(encoded) - len(encoded.translate(None, DIGITS))
    lines = encoded.count(b"\n")
    return Features(content, len(text) - digits - lines, digits, lines, len(encoded) - len(text))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _json(value: Any) -> str:
    if value is None:
        return ""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # integers beyond 64 bits and lone surrogates, which JSON allows and orjson does not
        return json.dumps(value, separators=(",", ":"), default=dict)


def picture_tokens(block: Mapping[str, Any]) -> int:
    """Of an `image` or a `document` block."""
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) else None
    if block.get("type") == "document":
        return TOKENS_PER_PAGE * _pages(data)
    size = image_size(data) if isinstance(data, str) else None
    if size is None:
        return UNKNOWN_PICTURE
    width, height = size
    scale = min(1.0, LONGEST_EDGE / max(width, height, 1))
    return max(1, min(MOST_PICTURE_TOKENS, round(width * scale * height * scale / PIXELS_PER_TOKEN)))


def _pages(data: object) -> int:
    if not isinstance(data, str):
        return 1
    try:
        document = base64.b64decode(data)
    except (binascii.Error, ValueError):
        return 1
    return max(1, len(_PAGE_OBJECT.findall(document)))
