"""Runs as lists show them: how far each one is, how fast it goes, and how long it will still take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from inspector.runs.kinds import list_run_kinds
from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_requested_at
from inspector.runs.selectors.presence import has_responding_worker
from sessions.text.engine import words

SILENT_MS = 60_000
"""A run that has given no sign of life for this long has probably lost its worker."""
DAY_MS = 86_400_000
MIN_RATE_MS = 1000
"""Earlier than this, the rate says more about the start than about the work."""
MIN_REMAINING_MS = 1000
"""The remaining time is an estimate; it is never shown as less than this."""
SLOW_START_MS = 15_000

ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)
DETAIL_FIELDS = ("turns", "result", "parameters")
"""Fields that lists do not show, and do not load because they may be long."""


@dataclass(frozen=True, slots=True)
class RunCard:
    run: Run
    status: str
    """The status of the run, or "lost" for a running one that has fallen silent."""
    now: int

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def may_change(self) -> bool:
        """Whether the page should poll: while the run is active, and while a lost one waits to be killed."""
        return self.is_active or (self.status == "lost" and kill_requested_at(self.run) is not None)

    @property
    def is_stopping(self) -> bool:
        return self.is_active and kill_requested_at(self.run) is not None

    @property
    def appearance(self) -> str:
        """The status, or "alarmed" for a run that completed and found something bad."""
        return "alarmed" if self.status == Run.Status.COMPLETED and self.run.error else self.status

    @property
    def state(self) -> str:
        """Changes whenever something other than the progress changes, so that the page replaces the whole card."""
        return f"{self.status}-killing" if self.is_stopping else self.status

    @property
    def percent(self) -> int | None:
        if not self.run.total:
            return None
        return min(100, 100 * self.run.done // self.run.total)

    @property
    def progress(self) -> str:
        if self.run.total is None:
            return _format_count(self.run.done, self.run.unit) if self.run.done else ""
        if self.run.unit == "bytes":
            return f"{words.size(self.run.done)} of {words.size(self.run.total)}"
        return f"{self.run.done:,} of {_format_count(self.run.total, self.run.unit)}"

    @property
    def counts(self) -> list[str]:
        """The other counts, in words."""
        numbers = {name: value for name, value in self.run.progress.items() if isinstance(value, int)}
        phrases = []
        for name, value in numbers.items():
            if name == self.run.unit or name.endswith("_total"):
                continue
            if f"{name}_total" in numbers:
                phrases.append(f"{value:,} of {_format_count(numbers[f'{name}_total'], name)}")
            elif value:
                phrases.append(_format_count(value, name))
        return phrases

    @property
    def rate(self) -> float | None:
        """Units per second in this phase."""
        if self.run.phase_at is None or self.end - self.run.phase_at < MIN_RATE_MS:
            return None
        return rate_per_second(self.run.done, self.run.phase_at, self.end)

    @property
    def speed(self) -> str:
        if self.rate is None or not self.is_active:
            return ""
        if self.run.unit == "bytes":
            return f"{words.size(self.rate)}/s"
        return f"{self.rate:,.1f}/s" if self.rate >= 1 else f"{60 * self.rate:.1f}/min"

    @property
    def remaining_ms(self) -> float | None:
        if not self.rate or self.run.total is None or self.run.done >= self.run.total or not self.is_active:
            return None
        return max(MIN_REMAINING_MS, 1000 * (self.run.total - self.run.done) / self.rate)

    @property
    def end(self) -> int:
        return self.run.finished_at or self.now

    @property
    def duration_ms(self) -> int | None:
        return None if self.run.started_at is None else max(0, self.end - self.run.started_at)

    @property
    def waited_ms(self) -> int:
        return max(0, self.now - self.run.created_at)

    @property
    def waits_long(self) -> bool:
        return self.status == Run.Status.QUEUED and self.waited_ms > SLOW_START_MS

    @property
    def tokens(self) -> int:
        run = self.run
        return run.input_tokens + run.cache_read_tokens + run.cache_write_tokens + run.output_tokens


def run_card(run: Run, now: int) -> RunCard:
    return RunCard(run=run, status="lost" if is_silent(run, now) else run.status, now=now)


def run_cards(runs: Iterable[Run], now: int) -> list[RunCard]:
    return [run_card(run, now) for run in runs]


def filter_runs(*, kind: str = "", status: str = "") -> QuerySet[Run]:
    """The newest first. The status may be "active": queued or running."""
    runs = Run.objects.defer(*DETAIL_FIELDS).order_by("-pk")
    if kind:
        runs = runs.filter(kind=kind)
    if status == "active":
        return runs.filter(status__in=ACTIVE)
    return runs.filter(status=status) if status else runs


def recent_runs(now: int, most: int = 4) -> list[RunCard]:
    """For the home page: the runs under way and those that ended in the last 24 hours."""
    elsewhere = [kind.name for kind in list_run_kinds() if kind.own_card]
    runs = Run.objects.exclude(kind__in=elsewhere).filter(Q(status__in=ACTIVE) | Q(finished_at__gt=now - DAY_MS))
    return run_cards(runs.defer(*DETAIL_FIELDS).order_by("-pk")[:most], now)


def active_runs(now: int) -> list[Run]:
    """Queued and running runs, the newest first, without those that lost their worker."""
    runs = Run.objects.filter(status__in=ACTIVE).defer(*DETAIL_FIELDS).order_by("-created_at", "-id")
    return [run for run in runs if not is_silent(run, now)]


def is_silent(run: Run, now: int) -> bool:
    """The clocks of two hosts may differ, so a worker that still responds has the last word."""
    last_sign = run.heartbeat_at or run.started_at or run.created_at
    return run.status == Run.Status.RUNNING and now - last_sign > SILENT_MS and not has_responding_worker(run)


def rate_per_second(count: int, started: int | None, until: int) -> float | None:
    if started is None or until <= started or not count:
        return None
    return count / ((until - started) / 1000)


def _format_count(count: int, unit: str) -> str:
    return words.size(count) if unit == "bytes" else f"{count:,} {unit}".strip()
