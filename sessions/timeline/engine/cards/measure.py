"""How large an image is, from the first bytes of its file: a page that knows does not move when the image arrives."""

from __future__ import annotations

import binascii
from base64 import b64decode

HEAD_CHARS = 64
JPEG_CHARS = 88_000
"""A photograph may carry that much before it tells its size."""
_SIZED = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})

Size = tuple[int, int]


def measure(data: str) -> Size | None:
    """Width and height of a base64 PNG, GIF, WebP or JPEG; None when its start does not tell."""
    head = _decoded(data[:HEAD_CHARS])
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        size = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    elif head.startswith(b"GIF8"):
        size = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    elif head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        size = _webp(head)
    elif head.startswith(b"\xff\xd8"):
        size = _jpeg(_decoded(data[:JPEG_CHARS]))
    else:
        return None
    return size if all(size) else None


def fitted(size: Size, width: int, height: int) -> Size:
    """As large as possible within a box, and not larger than it is."""
    scale = min(1.0, width / size[0], height / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _decoded(data: str) -> bytes:
    try:
        return b64decode(data[: len(data) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _webp(head: bytes) -> Size:
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF


def _jpeg(data: bytes) -> Size:
    """Walks from segment to segment up to the one that has the size."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _SIZED:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 if marker in _BARE else 1 if marker == 0xFF else 2 + int.from_bytes(data[at + 2 : at + 4])
    return 0, 0
