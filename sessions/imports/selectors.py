"""The state of the latest import, for the home page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE, MIN_REMAINING_MS, is_silent, rate_per_second
from sessions.imports.engine.names import WAITING


@dataclass(frozen=True, slots=True)
class ImportState:
    status: str
    """A status of a run, or "lost" for one that says it runs and has fallen silent."""
    files: int
    files_total: int
    bytes: int
    bytes_total: int
    entries: int
    indexed: int
    """Entries whose words can be searched for."""
    readable: bool
    """All sessions can be read; their words are being indexed."""
    waiting: bool
    """Another Lucid imports into the same database, or another process into the same home."""
    rate: float | None
    """Bytes a second since the start; None until there is something to divide."""
    remaining: float | None
    """Seconds, at that rate."""
    finished_at: int | None
    error: str
    demo: bool
    run_id: int

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    @property
    def all_read(self) -> bool:
        """Every file is read, and links between files are being made."""
        return 0 < self.bytes_total <= self.bytes and not self.readable

    @property
    def remaining_ms(self) -> float | None:
        return None if self.remaining is None else max(MIN_REMAINING_MS, self.remaining * 1000)

    @property
    def percent(self) -> int:
        processed, total = (self.indexed, self.entries) if self.readable else (self.bytes, self.bytes_total)
        return min(100, 100 * processed // total) if total else 0


def import_state(now: int) -> ImportState | None:
    """The latest import at `now` (milliseconds); None when there was none."""
    run = Run.objects.filter(kind="import").order_by("-created_at", "-id").first()
    if run is None:
        return None
    read_bytes, total_bytes = _number(run.progress, "bytes"), _number(run.progress, "bytes_total")
    rate = rate_per_second(read_bytes, run.started_at, run.finished_at or now)
    return ImportState(
        status="lost" if is_silent(run, now) else run.status,
        files=_number(run.progress, "files"),
        files_total=_number(run.progress, "files_total"),
        bytes=read_bytes,
        bytes_total=total_bytes,
        entries=_number(run.progress, "entries"),
        indexed=_number(run.progress, "indexed"),
        readable=run.phase == "indexing",
        waiting=run.phase == WAITING,
        rate=rate,
        remaining=max(0, total_bytes - read_bytes) / rate if rate else None,
        finished_at=run.finished_at,
        error=run.error,
        demo=bool(run.parameters.get("demo")),
        run_id=run.pk,
    )


def _number(progress: Mapping[str, object], name: str) -> int:
    value = progress.get(name)
    return int(value) if isinstance(value, int | float) else 0
