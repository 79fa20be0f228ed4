"""Reads the size of an image from the start of its file: pages reserve its space, and its tokens depend on it."""

from __future__ import annotations

import binascii
from base64 import b64decode

HEAD_CHARS = 64
JPEG_CHARS = 88_000
"""Photographs may have this much metadata before their size."""
_SIZE_MARKERS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_MARKERS_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})

Size = tuple[int, int]


def image_size(data: str) -> Size | None:
    """Width and height of a base64 PNG, GIF, WebP or JPEG; None if they are not found."""
    head = _decode(data[:HEAD_CHARS])
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        size = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    elif head.startswith(b"GIF8"):
        size = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    elif head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        size = _webp(head)
    elif head.startswith(b"\xff\xd8"):
        size = _jpeg(_decode(data[:JPEG_CHARS]))
    else:
        return None
    return size if all(size) else None


def fit_box(size: Size, width: int, height: int) -> Size:
    """Scales a size down to fit into a box; a smaller one stays as it is."""
    scale = min(1.0, width / size[0], height / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _decode(data: str) -> bytes:
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
    """Goes from segment to segment to the one that has the size."""
    index = 2
    while index + 9 <= len(data) and data[index] == 0xFF:
        marker = data[index + 1]
        if marker in _SIZE_MARKERS:
            return int.from_bytes(data[index + 7 : index + 9]), int.from_bytes(data[index + 5 : index + 7])
        index += (
            2
            if marker in _MARKERS_WITHOUT_LENGTH
            else 1
            if marker == 0xFF
            else 2 + int.from_bytes(data[index + 2 : index + 4])
        )
    return 0, 0
