"""Runs in lists: how far each is, at which rate, and how long it will still take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_asked_at
from inspector.runs.selectors.presence import is_heard
from sessions.text.engine import words

SILENT_MS = 60_000
"""A running run that has not given a sign for this long has lost its worker."""
DAY_MS = 86_400_000
UNSURE_MS = 1000
"""Before that, a rate says more about the start than about the work."""
MOMENT_MS = 1000
"""What remains is an estimate: less than this is not told."""
SLOW_START_MS = 15_000

ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)
LISTED = ("turns", "result", "parameters")
"""What a list does not show; they may be long."""


@dataclass(frozen=True, slots=True)
class RunCard:
    run: Run
    status: str
    """That of the run, or "lost" for one that says it runs and has fallen silent."""
    now: int

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    @property
    def ends_later(self) -> bool:
        """Whether its page is to be asked for again: also for one that has fallen silent, when somebody killed it."""
        return self.active or (self.status == "lost" and kill_asked_at(self.run) is not None)

    @property
    def killing(self) -> bool:
        return self.active and kill_asked_at(self.run) is not None

    @property
    def look(self) -> str:
        """The status, or "alarmed" for a run that did its work and found something bad."""
        return "alarmed" if self.status == Run.Status.COMPLETED and self.run.error else self.status

    @property
    def state(self) -> str:
        """Changes when more than the progress does."""
        return f"{self.status}-killing" if self.killing else self.status

    @property
    def percent(self) -> int | None:
        if not self.run.total:
            return None
        return min(100, 100 * self.run.done // self.run.total)

    @property
    def done(self) -> str:
        if self.run.total is None:
            return _counted(self.run.done, self.run.unit) if self.run.done else ""
        if self.run.unit == "bytes":
            return f"{words.size(self.run.done)} of {words.size(self.run.total)}"
        return f"{self.run.done:,} of {_counted(self.run.total, self.run.unit)}"

    @property
    def counts(self) -> list[str]:
        """The further counts, in words."""
        numbers = {name: value for name, value in self.run.progress.items() if isinstance(value, int)}
        said = []
        for name, value in numbers.items():
            if name == self.run.unit or name.endswith("_total"):
                continue
            if f"{name}_total" in numbers:
                said.append(f"{value:,} of {_counted(numbers[f'{name}_total'], name)}")
            elif value:
                said.append(_counted(value, name))
        return said

    @property
    def rate(self) -> float | None:
        """A second, in this phase."""
        if self.run.phase_at is None or self.until - self.run.phase_at < UNSURE_MS:
            return None
        return rate_of(self.run.done, self.run.phase_at, self.until)

    @property
    def speed(self) -> str:
        if self.rate is None or not self.active:
            return ""
        if self.run.unit == "bytes":
            return f"{words.size(self.rate)}/s"
        return f"{self.rate:,.1f}/s" if self.rate >= 1 else f"{60 * self.rate:.1f}/min"

    @property
    def remaining_ms(self) -> float | None:
        if not self.rate or self.run.total is None or self.run.done >= self.run.total or not self.active:
            return None
        return max(MOMENT_MS, 1000 * (self.run.total - self.run.done) / self.rate)

    @property
    def until(self) -> int:
        return self.run.finished_at or self.now

    @property
    def took_ms(self) -> int | None:
        return None if self.run.started_at is None else max(0, self.until - self.run.started_at)

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


def runs_found(*, kind: str = "", status: str = "") -> QuerySet[Run]:
    """The newest first. The status may be "active": queued or running."""
    runs = Run.objects.defer(*LISTED).order_by("-pk")
    if kind:
        runs = runs.filter(kind=kind)
    if status == "active":
        return runs.filter(status__in=ACTIVE)
    return runs.filter(status=status) if status else runs


def runs_of_note(now: int, most: int = 4) -> list[RunCard]:
    """For the home page: what is under way and what ended today. The import has a card of its own there."""
    noted = Run.objects.exclude(kind="import").filter(Q(status__in=ACTIVE) | Q(finished_at__gt=now - DAY_MS))
    return run_cards(noted.defer(*LISTED).order_by("-pk")[:most], now)


def active_runs(now: int) -> list[Run]:
    """Queued and running runs, the newest first, without those that lost their worker."""
    runs = Run.objects.filter(status__in=ACTIVE).defer(*LISTED).order_by("-created_at", "-id")
    return [run for run in runs if not is_silent(run, now)]


def is_silent(run: Run, now: int) -> bool:
    """By clocks that may differ, so that whoever works on it has the last word."""
    heard = run.heartbeat_at or run.started_at or run.created_at
    return run.status == Run.Status.RUNNING and now - heard > SILENT_MS and not is_heard(run)


def rate_of(done: int, started: int | None, until: int) -> float | None:
    if started is None or until <= started or not done:
        return None
    return done / ((until - started) / 1000)


def _counted(count: int, unit: str) -> str:
    return words.size(count) if unit == "bytes" else f"{count:,} {unit}".strip()
