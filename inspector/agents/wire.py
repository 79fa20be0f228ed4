"""The bytes of a request. The same values always give the same bytes, as the prompt cache requires."""

from __future__ import annotations

import json
import re
from typing import Any

from inspector.agents.errors import BadRequestError

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def to_bytes(value: Any) -> bytes:
    """Compact JSON in key order. Lone surrogates, which the API refuses, become replacement characters."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequestError("The request cannot be written as JSON.") from error
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text).encode()
