"""Stores the contents of captured requests: JSON values, each once, found by their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from sessions.archive.engine.frames import compressor
from sessions.capture.engine.documents import dumps
from sessions.models import CaptureBlob

AT_ONCE = 500
"""Rows per statement, because databases limit its parameters."""
DIGEST = 16


def contents_store(*, values: Sequence[Any]) -> list[int]:
    """The number of each value, in order. Must be called in the transaction that stores the capture."""
    documents = [dumps(value) for value in values]
    hashes = [hashlib.blake2b(data, digest_size=DIGEST).digest() for data in documents]
    missing = dict(zip(hashes, documents, strict=True))
    numbers = _load_numbers(list(missing))
    new = {name: data for name, data in missing.items() if name not in numbers}
    if new:
        compress = compressor()
        rows = [CaptureBlob(hash=name, size=len(data), data=compress(data)) for name, data in new.items()]
        # Another process may store the same content at the same time.
        CaptureBlob.objects.bulk_create(rows, batch_size=AT_ONCE // 4, ignore_conflicts=True)
        numbers |= _load_numbers(list(new))
    return [numbers[name] for name in hashes]


def _load_numbers(hashes: list[bytes]) -> dict[bytes, int]:
    numbers: dict[bytes, int] = {}
    for start in range(0, len(hashes), AT_ONCE):
        rows = CaptureBlob.objects.filter(hash__in=hashes[start : start + AT_ONCE]).values_list("hash", "pk")
        numbers.update((bytes(name), number) for name, number in rows)
    return numbers
