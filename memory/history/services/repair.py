"""Brings damaged versions of memory files back from files that still hold the same."""

from __future__ import annotations

from memory.history.selectors.soundness import blob_on_disk
from memory.models import Blob
from sessions.archive.engine.frames import compressor


def blob_repair(*, blob_id: int) -> bool:
    """False if no file holds it any more."""
    data = blob_on_disk(blob_id)
    if data is None:
        return False
    return bool(Blob.objects.filter(pk=blob_id).update(data=compressor()(data), size=len(data)))
