"""Repairs damaged versions of memory files from files that still have the same content."""

from __future__ import annotations

from memory.history.selectors.soundness import blob_on_disk
from memory.models import Blob
from sessions.archive.engine.frames import compressor


def blob_repair(*, blob_id: int) -> bool:
    """False if no file has the content any more."""
    data = blob_on_disk(blob_id)
    if data is None:
        return False
    return bool(Blob.objects.filter(pk=blob_id).update(data=compressor()(data), size=len(data)))
