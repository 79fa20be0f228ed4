"""Stores contents, each once."""

from __future__ import annotations

from collections.abc import Mapping

from memory.history.selectors.contents import blob_ids
from memory.models import Blob
from sessions.archive.engine.frames import compressor


def blobs_store(*, contents: Mapping[str, bytes]) -> dict[str, int]:
    """Returns the rows of the contents by digest, and creates missing ones."""
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
