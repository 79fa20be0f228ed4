"""The progress of an import while it runs, and its result."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Case, When

from inspector.locks.hosts import own_hosts
from sessions.models import Oddity, Source, Transcript


@dataclass(slots=True)
class Progress:
    phase: str = "reading"
    files: int = 0
    files_total: int = 0
    bytes: int = 0
    bytes_total: int = 0
    entries: int = 0
    indexed: int = 0
    """Entries whose words can be searched for, of those."""
    workers: int = 0
    """Other processes that took part."""
    started: float = 0.0


@dataclass(slots=True)
class Report:
    files: int = 0
    bytes: int = 0
    entries: int = 0
    new_entries: int = 0
    recovered_entries: int = 0
    lines: int = 0
    bad_lines: int = 0
    unknown_types: dict[str, int] = field(default_factory=dict)
    rows_written: int = 0
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    workers: int = 0
    """Processes of workers that took part."""
    browsable_seconds: float = 0.0
    """When every session could be read; the text index may have taken longer."""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Everything except our own row numbers."""
        return {name: value for name, value in asdict(self).items() if name != "touched"}


def count_archive(report: Report, paths: set[str]) -> None:
    """Counts everything that was requested, changed or not."""
    counted = Transcript.objects.exclude(source__state=Source.State.REPLACED)
    # This host's rows come last, because another host may have a different file under the same path, or the only row of
    # the same file.
    ours = Case(When(source__host__in=own_hosts(), then=1), default=0)
    columns = ("source__path", "pk", "lines", "bad_lines", "recovered")
    counted_by_path = {
        path: rest for path, *rest in counted.order_by(ours, "pk").values_list(*columns) if path in paths
    }
    for _, lines, bad, recovered in counted_by_path.values():
        report.lines += lines
        report.bad_lines += bad
        report.recovered_entries += recovered
    report.entries = report.lines - report.bad_lines
    unknown: Counter[str] = Counter()
    numbers = {pk for pk, *_ in counted_by_path.values()}
    for pk, name, count in Oddity.objects.filter(what="type").values_list("transcript_id", "name", "count"):
        if pk in numbers:
            unknown[name] += count
    report.unknown_types = dict(unknown)
