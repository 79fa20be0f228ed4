"""Contents of captured requests: JSON values, each stored once, known by what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from sessions.archive.engine.frames import compressor
from sessions.capture.engine.documents import dumps
from sessions.models import CaptureBlob

AT_ONCE = 500
"""Rows of one statement: databases limit what it may name."""
DIGEST = 16


def contents_store(*, values: Sequence[Any]) -> list[int]:
    """The number of each, in their order. Called inside the transaction of whoever lists them."""
    written = [dumps(value) for value in values]
    hashes = [hashlib.blake2b(data, digest_size=DIGEST).digest() for data in written]
    missing = dict(zip(hashes, written, strict=True))
    known = _numbers(list(missing))
    new = {name: data for name, data in missing.items() if name not in known}
    if new:
        compress = compressor()
        rows = [CaptureBlob(hash=name, size=len(data), data=compress(data)) for name, data in new.items()]
        # Somebody else may be storing the same content at this moment.
        CaptureBlob.objects.bulk_create(rows, batch_size=AT_ONCE // 4, ignore_conflicts=True)
        known |= _numbers(list(new))
    return [known[name] for name in hashes]


def _numbers(hashes: list[bytes]) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for at in range(0, len(hashes), AT_ONCE):
        rows = CaptureBlob.objects.filter(hash__in=hashes[at : at + AT_ONCE]).values_list("hash", "pk")
        found.update((bytes(name), number) for name, number in rows)
    return found
