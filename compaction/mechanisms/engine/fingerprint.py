"""A short print of content, to tell the same from the changed."""

from __future__ import annotations

from typing import Any

import orjson
import xxhash


def fingerprint(value: Any, before: str = "") -> str:
    """Prints can be chained: that of what came before goes into the next."""
    return xxhash.xxh3_128_hexdigest(before.encode() + _encode(value))


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):  # lone surrogates and the like, which transcripts contain
        return repr(value).encode(errors="backslashreplace")
