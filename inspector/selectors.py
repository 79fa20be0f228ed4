"""Reads of runs: how the import stands, and what is under way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.models import Run

SILENT_MS = 60_000
"""A running run that has not given a sign for this long has lost its worker."""

ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)


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
    rate: float | None
    """Bytes a second since the start; None until there is something to divide."""
    remaining: float | None
    """Seconds, at that rate."""
    finished_at: int | None
    error: str
    demo: bool

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    @property
    def remaining_ms(self) -> float | None:
        return None if self.remaining is None else self.remaining * 1000

    @property
    def percent(self) -> int:
        done, total = (self.indexed, self.entries) if self.readable else (self.bytes, self.bytes_total)
        return min(100, 100 * done // total) if total else 0


def import_state(now: int) -> ImportState | None:
    """The latest import at `now` (milliseconds); None when there was none."""
    run = Run.objects.filter(kind="import").order_by("-created_at", "-id").first()
    if run is None:
        return None
    done, total = _number(run.progress, "bytes"), _number(run.progress, "bytes_total")
    rate = _rate(done, run.started_at, run.finished_at or now)
    return ImportState(
        status="lost" if _silent(run, now) else run.status,
        files=_number(run.progress, "files"),
        files_total=_number(run.progress, "files_total"),
        bytes=done,
        bytes_total=total,
        entries=_number(run.progress, "entries"),
        indexed=_number(run.progress, "indexed"),
        readable=run.phase == "indexing",
        rate=rate,
        remaining=max(0, total - done) / rate if rate else None,
        finished_at=run.finished_at,
        error=run.error,
        demo=bool(run.parameters.get("demo")),
    )


def active_runs(now: int) -> list[Run]:
    """Queued and running runs, the newest first, without those that lost their worker."""
    runs = Run.objects.filter(status__in=ACTIVE).order_by("-created_at", "-id")
    return [run for run in runs if not _silent(run, now)]


def _silent(run: Run, now: int) -> bool:
    heard = run.heartbeat_at or run.started_at or run.created_at
    return run.status == Run.Status.RUNNING and now - heard > SILENT_MS


def _rate(done: int, started: int | None, until: int) -> float | None:
    if started is None or until <= started or not done:
        return None
    return done / ((until - started) / 1000)


def _number(progress: Mapping[str, object], name: str) -> int:
    value = progress.get(name)
    return int(value) if isinstance(value, int | float) else 0
