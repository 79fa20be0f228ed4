"""What versions held, out of the store."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memory.models import Blob, Version
from sessions.engine.archive import decompress

AT_ONCE = 500


def content_of(digest: str) -> bytes | None:
    """By its SHA-256; None if nobody ever had it here."""
    packed = Blob.objects.filter(digest=digest).values_list("data", flat=True).first()
    return None if packed is None else decompress(bytes(packed))


def contents_of(versions: Iterable[Version]) -> dict[int, bytes]:
    """By blob, of all versions that hold anything, with few queries."""
    wanted = sorted({version.blob_id for version in versions if version.blob_id is not None})
    found: dict[int, bytes] = {}
    for at in range(0, len(wanted), AT_ONCE):
        rows = Blob.objects.filter(pk__in=wanted[at : at + AT_ONCE]).values_list("pk", "data")
        found |= {pk: decompress(bytes(data)) for pk, data in rows}
    return found


def version_content(version: Version) -> bytes | None:
    """None: it was deleted then."""
    return None if version.blob_id is None else contents_of([version])[version.blob_id]


def blobs_known(digests: Collection[str]) -> dict[str, int]:
    wanted = sorted(digests)
    found: dict[str, int] = {}
    for at in range(0, len(wanted), AT_ONCE):
        found |= dict(Blob.objects.filter(digest__in=wanted[at : at + AT_ONCE]).values_list("digest", "pk"))
    return found
