"""A short hash of content, to tell whether it has changed."""

from __future__ import annotations

from typing import Any

import orjson
import xxhash


def fingerprint(value: Any, before: str = "") -> str:
    """Fingerprints can be chained: `before` is that of the preceding content."""
    return xxhash.xxh3_128_hexdigest(before.encode() + _encode(value))


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):  # lone surrogates and the like, which transcripts contain
        return repr(value).encode(errors="backslashreplace")
