"""Ids of a transcript as 64-bit numbers, because they are not always UUIDs and numbers make small, fast indexes."""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

_SIGNED = 1 << 63
_WHOLE = 1 << 64


def key_of(text: str) -> int:
    """A signed 64-bit key of any id. Different ids may have the same key, so compare the id after looking up a key."""
    number = xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
    return number - _WHOLE if number >= _SIGNED else number
