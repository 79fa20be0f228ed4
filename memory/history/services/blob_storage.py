"""Puts contents into the store, each once."""

from __future__ import annotations

from collections.abc import Mapping

from memory.history.selectors.contents import blob_ids
from memory.models import Blob
from sessions.archive.engine.frames import compressor


def blobs_store(*, contents: Mapping[str, bytes]) -> dict[str, int]:
    """By digest: the rows that hold them, made where there were none."""
    known_ids = blob_ids(contents)
    pack = compressor()
    new = [
        Blob(digest=digest, size=len(data), data=pack(data))
        for digest, data in contents.items()
        if digest not in known_ids
    ]
    if not new:
        return known_ids
    Blob.objects.bulk_create(new, ignore_conflicts=True, batch_size=100)
    return blob_ids(contents)
