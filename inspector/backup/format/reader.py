"""Reads a backup. All of it is verified before any part is used, and each part again when it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import IO

from inspector.backup.format import manifest as manifests
from inspector.backup.format.container import NO_BACKUP, Member, read_members
from inspector.backup.format.errors import BackupError, DamageError
from inspector.backup.format.manifest import Manifest, Part, Stream
from inspector.backup.format.rows import UnreadableError, Value, unpack
from inspector.backup.format.writer import Progress, hash_line

CHANGED = "is not what was written"
Rows = list[tuple[Value, ...]]


class BackupReader:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._offsets: dict[str, int] = {}

    def verify(self, progress: Progress) -> Manifest:
        """Verifies every byte of the file. Raises BackupError, which names the damaged part."""
        self._file.seek(0)
        self._offsets = {}
        parts: list[Part | DamageError] = []
        endings: dict[str, bytes] = {}
        for member in read_members(self._file):
            if endings and member.name != manifests.HASH_NAME:
                raise DamageError(member.name, "stands after the manifest")
            if member.name in (manifests.NAME, manifests.HASH_NAME):
                endings[member.name] = member.data
                continue
            self._offsets[member.name] = member.offset
            parts.append(_part(member))
            progress(member.name.split("/")[-2], member.offset)
        return _check_parts(parts, endings)

    @property
    def position(self) -> int:
        return self._file.tell()

    def batches(self, stream: Stream) -> Iterator[Rows]:
        for part in stream.parts:
            self._file.seek(self._offsets[part.name])
            data = self._file.read(part.bytes)
            if hashlib.sha256(data).hexdigest() != part.sha256:
                raise DamageError(part.name, CHANGED)
            rows, _ = unpack(data)
            yield rows


def _part(member: Member) -> Part | DamageError:
    """An error in it counts only if the manifest does not tell more."""
    try:
        rows, raw = unpack(member.data)
    except UnreadableError as error:
        return DamageError(member.name, f"cannot be read ({error})")
    return Part(member.name, len(member.data), raw, len(rows), hashlib.sha256(member.data).hexdigest())


def _check_parts(parts: list[Part | DamageError], endings: dict[str, bytes]) -> Manifest:
    damage = next((part for part in parts if isinstance(part, DamageError)), None)
    data = endings.get(manifests.NAME)
    if damage is not None:
        raise damage
    if data is None:
        raise BackupError(NO_BACKUP)
    if endings.get(manifests.HASH_NAME) != hash_line(data):
        raise DamageError(manifests.NAME, CHANGED)
    manifest = manifests.decode_manifest(data)
    expected_parts = [part for stream in manifest.streams for part in stream.parts]
    for part, expected in zip(parts, expected_parts, strict=False):
        if part != expected:
            raise DamageError(expected.name, CHANGED)
    if len(parts) != len(expected_parts):
        raise DamageError(manifests.NAME, f"names {len(expected_parts)} parts, and {len(parts)} are there")
    _check_streams(manifest)
    return manifest


def _check_streams(manifest: Manifest) -> None:
    names = [(stream.kind, stream.name) for stream in manifest.streams]
    misplaced = [
        part.name
        for stream in manifest.streams
        for number, part in enumerate(stream.parts, start=1)
        if part.name != f"{stream.kind}/{stream.name}/{number:08}.msgpack.zst"
    ]
    if misplaced or len(set(names)) < len(names):
        raise DamageError(misplaced[0] if misplaced else manifests.NAME, "stands twice, or where it does not belong")
