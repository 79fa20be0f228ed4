"""What versions held, out of the store."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from hashlib import sha256

from memory.models import Blob, Version
from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.damage import content_of as unpacked

AT_ONCE = 500


def content_of(digest: str) -> bytes | None:
    """By its SHA-256; None if nobody ever had it here."""
    stored = Blob.objects.filter(digest=digest).values_list("data", "size").first()
    return None if stored is None else blob_content(*stored, digest)


def blob_content(data: bytes | memoryview, size: int, digest: str) -> bytes:
    """What is stored under a digest, compared with it."""
    subject = f"The content {digest[:12]}… of a memory file"
    raw = unpacked(data, size, subject)
    if sha256(raw).hexdigest() != digest:
        raise DamageError(f"{subject} is damaged: its bytes have changed since it was stored.")
    return raw


def contents_of(versions: Iterable[Version]) -> dict[int, bytes]:
    """By blob, of all versions that hold anything, with few queries."""
    return read_blobs({version.blob_id for version in versions if version.blob_id is not None})


def readable_contents_of(versions: Iterable[Version]) -> dict[int, bytes]:
    """The same without those that are damaged: for whoever only compares with them."""
    contents: dict[int, bytes] = {}
    for number in {version.blob_id for version in versions if version.blob_id is not None}:
        with suppress(DamageError):
            contents |= read_blobs([number])
    return contents


def read_blobs(numbers: Collection[int]) -> dict[int, bytes]:
    ordered = sorted(numbers)
    contents: dict[int, bytes] = {}
    for start in range(0, len(ordered), AT_ONCE):
        rows = Blob.objects.filter(pk__in=ordered[start : start + AT_ONCE]).values_list("pk", "data", "size", "digest")
        contents |= {pk: blob_content(data, size, digest) for pk, data, size, digest in rows}
    return contents


def version_content(version: Version) -> bytes | None:
    """None: it was deleted then."""
    return None if version.blob_id is None else contents_of([version])[version.blob_id]


def blob_ids(digests: Collection[str]) -> dict[str, int]:
    ordered = sorted(digests)
    ids: dict[str, int] = {}
    for start in range(0, len(ordered), AT_ONCE):
        ids |= dict(Blob.objects.filter(digest__in=ordered[start : start + AT_ONCE]).values_list("digest", "pk"))
    return ids
