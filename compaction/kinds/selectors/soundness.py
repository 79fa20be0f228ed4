"""Checks stored compactions: each must match its hash and be readable."""

from __future__ import annotations

from collections.abc import Iterator

from compaction.kinds.selectors import load_stored_context
from compaction.models import Compaction
from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.file_prints import print_of
from sessions.archive.selectors.soundness import CheckStep, Damage

AT_ONCE = 20
KIND = "compaction"


def compaction_steps() -> Iterator[CheckStep]:
    after = 0
    columns = ("run_id", "packed", "packed_hash", "transcript__public_id")
    while True:
        rows = Compaction.objects.filter(pk__gt=after).order_by("pk").select_related("transcript").only(*columns)
        batch = list(rows[:AT_ONCE])
        damage: list[Damage] = []
        hashes: list[tuple[int, bytes]] = []
        for row in batch:
            try:
                load_stored_context(row)
            except DamageError as error:
                path = f"compaction {row.number}"
                session = row.transcript.public_id
                damage.append(Damage(path, str(error), KIND, row.pk, session, session, end=len(row.packed)))
            else:
                if row.packed_hash is None:
                    hashes.append((row.pk, print_of(bytes(row.packed))))
        yield CheckStep(contents=len(batch), damage=tuple(damage), hashes=tuple(hashes))
        if len(batch) < AT_ONCE:
            return
        after = batch[-1].pk
