"""Imports as runs: what the home page shows while sessions are read, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import Max

from inspector.resources import DEMO
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.create import run_create
from inspector.runs.services.execute import run_perform
from inspector.runs.services.pulse import check_for_stop, write_updates
from inspector.runs.services.stops import RunKilled
from sessions.imports.engine.names import EXPORTS
from sessions.imports.services.after_import import after_import
from sessions.imports.services.import_lock import import_is_free
from sessions.imports.services.report import Progress, Report
from sessions.imports.services.sync import sync, sync_files
from sessions.models import Source, Transcript
from sessions.text.engine.words import plural
from sessions.transcripts.engine.paths import decode_path, encode_path

KIND = "import"
LISTEN_SECONDS = 0.25
COUNTS = ("files", "files_total", "bytes", "bytes_total", "entries", "indexed", "workers")


def import_run(path: Path, *, demo: bool = False) -> None:
    """Import everything below `path`, as a run that pages can follow. Raises Killed if somebody stops it there."""

    def work(running: ActiveRun, _: Run) -> dict[str, Any]:
        def tell(progress: Progress) -> None:
            _report_progress(running, progress)
            # An import must not stop because a page is a moment behind.
            with suppress(DatabaseError):
                write_updates(running)
                check_for_stop(running)

        report = sync([path], listener=tell, check=_check(running))
        after_import()
        return _summarise_report(report)

    # The import forks, and its processes must not inherit a connection of another thread.
    run_perform(kind=KIND, target=encode_path(path), parameters={"demo": demo}, work=work, pulse=False)


def import_again(running: ActiveRun, run: Run) -> dict[str, Any]:
    """A retry, by a worker. It has threads, so nothing is forked."""
    report = sync(
        [decode_path(run.target)], listener=partial(_report_progress, running), check=_check(running), workers=1
    )
    after_import()
    return _summarise_report(report)


def import_soon(files: Sequence[Path]) -> bool:
    """Imports files that were just written, at once if no other import is running. Otherwise a worker reads them later,
    and this returns False."""
    if not import_is_free():
        run_create(kind=KIND, target=encode_path(files[0]), parameters={"demo": False})
        return False
    sync_files(files)
    after_import()
    return True


def has_import_ended(path: Path) -> bool:
    """Whether the last import of `path` finished, instead of being stopped."""
    ended = Run.objects.filter(kind=KIND, target=encode_path(path), finished_at__isnull=False).order_by("-pk")
    return ended.values_list("status", flat=True).first() != Run.Status.KILLED


def _check(running: ActiveRun) -> Callable[[], None]:
    due = 0.0

    def check() -> None:
        nonlocal due
        if running.has_kill_note():
            running.stop(RunKilled)
        elif connection.vendor != "sqlite" and time.monotonic() >= due:
            # On SQLite there is a note for it, and the import's own transaction would not see what others write.
            due = time.monotonic() + LISTEN_SECONDS
            with suppress(DatabaseError):
                check_for_stop(running)
        running.check()

    return check


def _report_progress(running: ActiveRun, progress: Progress) -> None:
    running.ensure_phase(progress.phase, unit="entries" if progress.phase == "indexing" else "bytes")
    counts = {name: value for name, value in asdict(progress).items() if name in COUNTS}
    if progress.phase == "indexing":
        running.report_progress(progress.indexed, total=progress.entries, **counts)
    else:
        running.report_progress(progress.bytes, total=progress.bytes_total, **counts)


def _summarise_report(report: Report) -> dict[str, Any]:
    new = plural(report.new_entries, "new entry", "new entries")
    shared = f", shared with {plural(report.workers, 'worker')}" if report.workers else ""
    return {"summary": f"{new} in {plural(report.files, 'file')}{shared}.", **report.to_json()}


def is_demo_shown() -> bool:
    """Whether the built-in demo is shown."""
    return Source.objects.exclude(state=Source.State.REPLACED).filter(path__startswith=f"{DEMO}/").exists()


def demo_settle() -> None:
    """Show the built-in demo as long as there is nothing else, and put it away when there is."""
    below = f"{DEMO}/"
    current = Source.objects.exclude(state=Source.State.REPLACED)
    demo = current.filter(path__startswith=below)
    exports = f"{encode_path(Path(settings.LUCID_HOME) / EXPORTS)}/"
    others = Transcript.objects.filter(source__in=current)
    others = others.exclude(source__path__startswith=below).exclude(source__path__startswith=exports)
    if others.exists():
        demo.update(state=Source.State.REPLACED)
    elif not demo.exists() and DEMO.is_dir():
        demo_return()
        import_run(DEMO, demo=True)


def demo_return() -> None:
    """Bring back a demo that was put away, before it is imported again, so that its addresses stay the same."""
    demo = Source.objects.filter(path__startswith=f"{DEMO}/")
    put_away = demo.filter(state=Source.State.REPLACED).exclude(transcript__public_id__contains="~")
    put_away = put_away.exclude(path__in=demo.exclude(state=Source.State.REPLACED).values("path"))
    latest = put_away.order_by().values("path").annotate(latest=Max("pk")).values_list("latest", flat=True)
    Source.objects.filter(pk__in=list(latest)).update(state=Source.State.PRESENT)
