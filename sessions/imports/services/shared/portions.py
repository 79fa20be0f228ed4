"""The portions of a shared import in the database: whole files in the order of the plan, each read by one process.

PostgreSQL's row locks show who has which. They end with the process that holds them, so nobody has to notice that it
died, and no portion is taken twice."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import connection

from sessions.imports.services.jobs import Job
from sessions.models import Portion, SharedImport
from sessions.transcripts.engine.paths import decode_path, encode_path

PORTION_BYTES = 8 * 1024 * 1024
PORTION_FILES = 200
FREE = "SELECT id FROM transcripts_portion WHERE shared_import_id = %s AND NOT done"
LOCK = " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"


@dataclass(slots=True)
class Outcome:
    """The result of a portion, for the import that shared it."""

    touched: dict[int, int] = field(default_factory=dict)
    """Transcript -> the first position that is new in it."""
    unlinked: set[int] = field(default_factory=set)
    files: int = 0
    bytes: int = 0
    entries: int = 0
    indexed: int = 0
    rows: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "touched": list(self.touched.items()), "unlinked": sorted(self.unlinked)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Outcome:
        return cls(**{**value, "touched": dict(value["touched"]), "unlinked": set(value["unlinked"])})


def group_jobs(jobs: Sequence[Job]) -> list[list[Job]]:
    """A file that is larger than a portion is a portion by itself."""
    groups: list[list[Job]] = []
    room = 0
    for job in jobs:
        size = job.size - job.start
        if not groups or size > room or len(groups[-1]) == PORTION_FILES:
            groups.append([])
            room = PORTION_BYTES
        groups[-1].append(job)
        room -= size
    return groups


def portions_create(*, groups: Sequence[Sequence[Job]], host: str, holder: int) -> SharedImport:
    shared = SharedImport.objects.create(host=host, holder=holder)
    Portion.objects.bulk_create([Portion(shared_import=shared, jobs=_pack_jobs(group)) for group in groups])
    return shared


def portions_forget(shared_import: int) -> None:
    """Deletes the portions of an import that ends. Waits for a process that still reads one, so that the next step sees
    all of it or nothing."""
    SharedImport.objects.filter(pk=shared_import).delete()  # first and alone: this tells them to stop
    Portion.objects.filter(shared_import_id=shared_import).delete()


def portions_forget_lost(busy_hosts: Collection[str]) -> None:
    """Deletes the portions of interrupted imports, of all hosts except these, while nobody else can begin to import."""
    SharedImport.objects.exclude(host__in=busy_hosts).delete()
    Portion.objects.exclude(shared_import_id__in=SharedImport.objects.values("pk")).delete()


def portion_claim(shared_import: int, leave: Collection[int]) -> tuple[int, list[Job]] | None:
    """A free portion, ours until the transaction ends; None if only those in `leave` are left."""
    with connection.cursor() as cursor:
        cursor.execute(f"{FREE} AND NOT id = ANY(%s){LOCK}", [shared_import, list(leave)])
        row = cursor.fetchone()
    return (
        None if row is None else (row[0], _unpack_jobs(Portion.objects.values_list("jobs", flat=True).get(pk=row[0])))
    )


def portion_take(shared_import: int) -> list[Job] | None:
    """Removes a free portion from the table and returns it, for the import itself: if that dies, everything ends with
    it."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM transcripts_portion WHERE id = ({FREE}{LOCK}) RETURNING jobs", [shared_import])
        row = cursor.fetchone()
    return None if row is None else _unpack_jobs(row[0])


def portion_finish(portion: int, *, worker: str, outcome: Outcome) -> None:
    Portion.objects.filter(pk=portion).update(done=True, worker=worker, outcome=outcome.to_json())


def outcomes_take(shared_import: int) -> Iterator[tuple[str, Outcome]]:
    """Results of the portions that were read since the last call, with the process that read each."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM transcripts_portion WHERE shared_import_id = %s AND done RETURNING worker, outcome",
            [shared_import],
        )
        rows = cursor.fetchall()
    for worker, outcome in rows:
        yield worker, Outcome.from_json(json.loads(outcome) if isinstance(outcome, str) else outcome)


def _pack_jobs(jobs: Sequence[Job]) -> bytes:
    return json.dumps([{**asdict(job), "path": encode_path(job.path)} for job in jobs]).encode()


def _unpack_jobs(data: bytes | memoryview) -> list[Job]:
    rows = json.loads(bytes(data))
    return [
        Job(**{**row, "path": str(decode_path(row["path"])), "earlier_keys": tuple(row["earlier_keys"])})
        for row in rows
    ]
