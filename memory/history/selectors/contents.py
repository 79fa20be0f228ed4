"""Reads the contents of versions from the database."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from hashlib import sha256

from memory.models import Blob, Version
from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.damage import unpack_content as unpacked

AT_ONCE = 500


def content_of(digest: str) -> bytes | None:
    """By SHA-256; None if it is not stored."""
    stored = Blob.objects.filter(digest=digest).values_list("data", "size").first()
    return None if stored is None else blob_content(*stored, digest)


def blob_content(data: bytes | memoryview, size: int, digest: str) -> bytes:
    """Unpacks stored data, and compares it with its digest."""
    subject = f"The content {digest[:12]}… of a memory file"
    raw = unpacked(data, size, subject)
    if sha256(raw).hexdigest() != digest:
        raise DamageError(f"{subject} is damaged: its bytes have changed since it was stored.")
    return raw


def contents_of(versions: Iterable[Version]) -> dict[int, bytes]:
    """By blob, for all versions that are not deletions; few queries."""
    return read_blobs({version.blob_id for version in versions if version.blob_id is not None})


def readable_contents_of(versions: Iterable[Version]) -> dict[int, bytes]:
    """Like `contents_of`, without damaged contents: enough for comparisons."""
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
    """None if the version is a deletion."""
    return None if version.blob_id is None else contents_of([version])[version.blob_id]


def blob_ids(digests: Collection[str]) -> dict[str, int]:
    ordered = sorted(digests)
    ids: dict[str, int] = {}
    for start in range(0, len(ordered), AT_ONCE):
        ids |= dict(Blob.objects.filter(digest__in=ordered[start : start + AT_ONCE]).values_list("digest", "pk"))
    return ids
