"""JSON that other programs wrote, read as far as Python can, and written so that the same value gives the same bytes.

Keys keep the order in which they came: the prompt cache sees it."""

from __future__ import annotations

import json
from typing import Any

import orjson


def loads(data: bytes | str) -> Any:
    """Raises ValueError."""
    try:
        return orjson.loads(data)
    except ValueError:
        # Half characters and numbers of any size: orjson refuses both.
        return json.loads(data)


def dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
