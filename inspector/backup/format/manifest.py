"""The manifest of a backup: the version of Lucid that made it, the schema, and the hash of every part."""

from __future__ import annotations

from typing import Literal

import msgspec

from inspector.backup.format.errors import BackupError, DamageError

FORMAT = 1
NAME = "manifest.json"
HASH_NAME = "manifest.json.sha256"
StreamKind = Literal["files", "tables", "index"]


class Part(msgspec.Struct, frozen=True):
    name: str
    bytes: int
    """Compressed size."""
    raw: int
    rows: int
    sha256: str
    """Hash of the compressed bytes."""


class Stream(msgspec.Struct, frozen=True):
    """The rows of one table, or the files of the home."""

    kind: StreamKind
    name: str
    columns: list[str]
    parts: list[Part]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def raw(self) -> int:
        return sum(part.raw for part in self.parts)


class Manifest(msgspec.Struct, frozen=True):
    lucid: str
    """The version of Lucid that made it."""
    created_at: int
    """Milliseconds since 1970, UTC."""
    database: Literal["sqlite", "postgresql"]
    migrations: list[str]
    """As `app.0001_initial`, in the order of application."""
    files: int
    """Files of the home."""
    owed: int
    """Transcripts that a large import had not archived yet."""
    sequences: dict[str, int]
    """The highest id that each table has used."""
    streams: list[Stream]
    format: int = FORMAT

    def of_kind(self, kind: StreamKind) -> list[Stream]:
        return [stream for stream in self.streams if stream.kind == kind]

    @property
    def raw(self) -> int:
        return sum(stream.raw for stream in self.streams)


class _Format(msgspec.Struct):
    format: int


def encode_manifest(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def decode_manifest(data: bytes) -> Manifest:
    try:
        version = msgspec.json.decode(data, type=_Format).format
        if version > FORMAT:
            raise BackupError(f"The backup was made by a newer Lucid (format {version}); restore it with that version.")
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DamageError(NAME, "is no manifest") from error
