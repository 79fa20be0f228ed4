"""Writes a backup part by part, with the hashes of all parts at its end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import IO

from inspector.backup.format import manifest as manifests
from inspector.backup.format.container import END, write_member
from inspector.backup.format.manifest import Manifest, Part, Stream, StreamKind
from inspector.backup.format.rows import Row, batches, pack

Progress = Callable[[str, int], None]
"""Called with the name of a stream and the bytes of the backup written or read so far."""


class BackupWriter:
    def __init__(self, file: IO[bytes], progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self.streams: list[Stream] = []

    def stream(
        self, kind: StreamKind, name: str, columns: Sequence[str], rows: Iterable[Row], *, wide: Sequence[int]
    ) -> Stream:
        parts: list[Part] = []
        for number, batch in enumerate(batches(rows, wide), start=1):
            parts.append(self._part(f"{kind}/{name}/{number:08}.msgpack.zst", batch))
            self._progress(name, self._file.tell())
        stream = Stream(kind, name, list(columns), parts)
        self.streams.append(stream)
        return stream

    def finish(self, manifest: Manifest) -> None:
        data = manifests.encode_manifest(manifest)
        write_member(self._file, manifests.NAME, data)
        write_member(self._file, manifests.HASH_NAME, hash_line(data))
        self._file.write(END)

    def _part(self, name: str, rows: Sequence[Row]) -> Part:
        data, raw = pack(rows)
        write_member(self._file, name, data)
        return Part(name, len(data), raw, len(rows), hashlib.sha256(data).hexdigest())


def hash_line(manifest: bytes) -> bytes:
    """In the format of `sha256sum`."""
    return f"{hashlib.sha256(manifest).hexdigest()}  {manifests.NAME}\n".encode()
