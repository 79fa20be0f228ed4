"""The tokens of pictures and documents. A picture has a token for each 750 of its pixels, after it was made to fit: the
API's documentation says so."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Mapping
from typing import Any

PIXELS_PER_TOKEN = 750
LONGEST_EDGE = 1568
MOST_TOKENS = 1600
UNKNOWN_PICTURE = 1_000
PAGE = 2_000
"""Of a document: its text and its picture."""
_HEAD = 64 * 1024
"""Characters of base64 in which the size of a picture is looked for."""
_PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")


def picture_tokens(block: Mapping[str, Any]) -> int:
    """Of an `image` or a `document` block."""
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) else None
    if block.get("type") == "document":
        return PAGE * _pages(data)
    size = picture_size(_decode(data)) if isinstance(data, str) else None
    if size is None:
        return UNKNOWN_PICTURE
    width, height = size
    scale = min(1.0, LONGEST_EDGE / max(width, height, 1))
    return max(1, min(MOST_TOKENS, round(width * scale * height * scale / PIXELS_PER_TOKEN)))


def picture_size(head: bytes) -> tuple[int, int] | None:
    """Width and height out of the first bytes of a PNG, GIF, WebP or JPEG file."""
    try:
        if head.startswith(b"\x89PNG"):
            return struct.unpack(">II", head[16:24])
        if head.startswith(b"GIF8"):
            return struct.unpack("<HH", head[6:10])
        if head[8:12] == b"WEBP":
            return _webp_size(head)
        if head.startswith(b"\xff\xd8"):
            return _jpeg_size(head)
    except (struct.error, IndexError):
        return None
    return None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 < len(head):
        marker, length = head[position + 1], int.from_bytes(head[position + 2 : position + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[position + 5 : position + 9])
            return width, height
        position += 2 + length
    return None


def _decode(data: str) -> bytes:
    head = data[:_HEAD]
    try:
        return base64.b64decode(head[: len(head) - len(head) % 4])
    except (binascii.Error, ValueError):
        return b""


def _pages(data: object) -> int:
    if not isinstance(data, str):
        return 1
    try:
        document = base64.b64decode(data)
    except (binascii.Error, ValueError):
        return 1
    return max(1, len(_PAGE_OBJECT.findall(document)))
