"""The tokens of pictures and documents. A picture has a token for each 750 of its pixels, after it was made to fit: the
API's documentation says so."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from sessions.transcripts.engine.image_size import image_size

PIXELS_PER_TOKEN = 750
LONGEST_EDGE = 1568
MOST_TOKENS = 1600
UNKNOWN_PICTURE = 1_000
PAGE = 2_000
"""Of a document: its text and its picture."""
_PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")


def picture_tokens(block: Mapping[str, Any]) -> int:
    """Of an `image` or a `document` block."""
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) else None
    if block.get("type") == "document":
        return PAGE * _pages(data)
    size = image_size(data) if isinstance(data, str) else None
    if size is None:
        return UNKNOWN_PICTURE
    width, height = size
    scale = min(1.0, LONGEST_EDGE / max(width, height, 1))
    return max(1, min(MOST_TOKENS, round(width * scale * height * scale / PIXELS_PER_TOKEN)))


def _pages(data: object) -> int:
    if not isinstance(data, str):
        return 1
    try:
        document = base64.b64decode(data)
    except (binascii.Error, ValueError):
        return 1
    return max(1, len(_PAGE_OBJECT.findall(document)))
