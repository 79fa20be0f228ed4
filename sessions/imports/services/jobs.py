"""What an import asks of its scanners, and what they deliver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sessions.imports.services.rows import Rows


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
    seen: tuple[int, ...] = ()
    """Then also the keys of the uuids that stand before: a row that is written again must be known for one."""
    pack: bool = True
    """False: the lines now, the bytes later."""
    quick: bool = False
    """Compress for speed: one of many files."""


@dataclass(frozen=True, slots=True)
class Packing:
    """The bytes of a file whose lines are read, which ended so when they were."""

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
    """Pickled: most of what a stretch gives, and whoever writes the rows need not look at it."""
    unlinked: bool = False
    """What came does more than extend the active branch: the whole file has to be linked anew."""
    error: str = ""
