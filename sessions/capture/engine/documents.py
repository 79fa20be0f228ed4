"""Reads JSON of other programs, and writes it so that equal values give equal bytes.

Keys keep their order, which matters to the prompt cache."""

from __future__ import annotations

import json
from typing import Any

import orjson


def loads(data: bytes | str) -> Any:
    """Raises ValueError."""
    try:
        return orjson.loads(data)
    except ValueError:
        # orjson refuses lone surrogates and very large numbers.
        return json.loads(data)


def dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
