"""Checks the stored versions of memory files: every content is compared with its digest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from memory.history.selectors.contents import blob_content
from memory.models import Blob, Version
from sessions.archive.engine.damage import DamageError
from sessions.archive.selectors.soundness import CheckStep, Damage
from sessions.transcripts.engine.paths import decode_path

AT_ONCE = 200
KIND = "version"
MOST_NAMES = 20


def version_steps() -> Iterator[CheckStep]:
    after = 0
    while True:
        rows = Blob.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "data", "size", "digest")
        some = list(rows[:AT_ONCE])
        damage: list[Damage] = []
        for pk, data, size, digest in some:
            try:
                blob_content(data, size, digest)
            except DamageError as error:
                damage.append(_describe(pk, str(error), size))
        yield CheckStep(contents=len(some), damage=tuple(damage))
        if len(some) < AT_ONCE:
            return
        after = some[-1][0]


def blob_on_disk(blob_id: int) -> bytes | None:
    """The content of a blob, read from a file that still has it, according to its digest."""
    digest = Blob.objects.values_list("digest", flat=True).get(pk=blob_id)
    for path in _paths(blob_id):
        with suppress(OSError):
            data = path.read_bytes() if path.is_file() else b""
            if sha256(data).hexdigest() == digest:
                return data
    return None


def _describe(blob_id: int, message: str, size: int) -> Damage:
    paths = _paths(blob_id)
    path = str(paths[0]) if paths else f"content {blob_id}"
    return Damage(path, message, KIND, blob_id, end=size, repairable=blob_on_disk(blob_id) is not None)


def _paths(blob_id: int) -> list[Path]:
    """The files that had this content, the latest first."""
    versions = Version.objects.filter(blob=blob_id).select_related("directory").order_by("-pk")[:MOST_NAMES]
    return list(dict.fromkeys(decode_path(version.directory.path) / version.name for version in versions))
