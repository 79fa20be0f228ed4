"""Adds hashes to compactions from a version that stored none."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.models import Compaction


def compactions_seal(*, hashes: Sequence[tuple[int, bytes]]) -> None:
    for pk, packed_hash in hashes:
        Compaction.objects.filter(pk=pk, packed_hash=None).update(packed_hash=packed_hash)
