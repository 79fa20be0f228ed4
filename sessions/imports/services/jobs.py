"""What an import asks its scanners to do, and what they deliver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sessions.imports.services.stretch_rows import Rows


@dataclass(frozen=True, slots=True)
class Job:
    source_id: int
    transcript_id: int | None
    """None for a file that is only archived."""
    path: str
    start: int
    size: int
    facts: dict[str, Any] | None
    agent: bool
    links: dict[str, Any] | None = None
    """The link state of an earlier import, when reading goes on in the middle of a file."""
    earlier_keys: tuple[int, ...] = ()
    """In that case also the keys of all earlier uuids, so that repeated rows are recognised."""
    pack: bool = True
    """False: read the lines now and archive the bytes later."""
    quick: bool = False
    """Compress for speed: one of many files."""


@dataclass(frozen=True, slots=True)
class Packing:
    """The bytes of a file whose lines were read, and how the file ended at that time."""

    source_id: int
    path: str
    size: int
    imported: int
    tail_hash: bytes
    transcript_id: None = None


@dataclass(slots=True)
class Delivery:
    transcript_id: int | None
    size: int = 0
    """Raw bytes of the stretch."""
    last: bool = False
    rows: Rows = field(default_factory=dict)
    first: int = 0
    """Position of the first entry; the entries of a stretch follow one another."""
    entries: int = 0
    texts: bytes = b""
    """Pickled: they are most of a delivery, and writing its rows does not need them."""
    unlinked: bool = False
    """The new rows do more than extend the active branch, so the whole file must be linked again."""
    error: str = ""
