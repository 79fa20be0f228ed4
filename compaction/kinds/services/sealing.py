"""Gives compactions that were made before there were hashes theirs."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.models import Compaction


def compactions_seal(*, hashes: Sequence[tuple[int, bytes]]) -> None:
    for pk, known in hashes:
        Compaction.objects.filter(pk=pk, packed_hash=None).update(packed_hash=known)
