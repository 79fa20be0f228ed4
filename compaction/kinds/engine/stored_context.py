"""The stored form of a compaction: the context after it, and whatever else an export needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import zstandard

from compaction.kinds.engine.result import CompactionResult
from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.tool_result_limit.limit import PersistedResult
from sessions.transcripts.engine.messages import Message


class StoredContext(msgspec.Struct, frozen=True):
    after: tuple[Message, ...]
    made: Compaction | None = None
    persisted: tuple[PersistedResult, ...] = ()
    records: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, applied: CompactionResult) -> StoredContext:
        return cls(tuple(applied.after), applied.compaction, applied.persisted, applied.records)

    def pack(self) -> bytes:
        # Unlike faster writers, this one keeps lone surrogates, which transcripts contain.
        written = json.dumps(msgspec.to_builtins(self), separators=(",", ":")).encode()
        return zstandard.ZstdCompressor(level=6).compress(written)

    @classmethod
    def unpack(cls, data: bytes) -> StoredContext:
        return msgspec.convert(json.loads(zstandard.ZstdDecompressor().decompress(data)), cls)
