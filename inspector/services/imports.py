"""Imports as runs: what the home page shows while sessions are being read, and what became of it."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

from inspector.models import Run
from sessions.engine.paths import kept
from sessions.models import Source, Transcript
from sessions.services.sync import Progress, Report, sync

DEMO = Path(__file__).resolve().parents[2] / "sessions" / "demo"
KEPT_RUNS = 50


def now_ms() -> int:
    return int(time.time() * 1000)


def import_run(path: Path, *, demo: bool = False) -> Report:
    """Import everything below `path`, as a run that pages can follow."""
    started = now_ms()
    run = Run.objects.create(
        kind="import",
        target=kept(path),
        parameters={"demo": demo},
        status=Run.Status.RUNNING,
        created_at=started,
        started_at=started,
        heartbeat_at=started,
    )

    def listen(progress: Progress) -> None:
        numbers = {**asdict(progress), "started": int(progress.started * 1000)}
        Run.objects.filter(pk=run.pk).update(phase=progress.phase, progress=numbers, heartbeat_at=now_ms())

    try:
        report = sync([path], listener=listen)
    except Exception as error:
        Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED, error=str(error), finished_at=now_ms())
        raise
    Run.objects.filter(pk=run.pk).update(
        status=Run.Status.COMPLETED, phase="", result=report.to_json(), finished_at=now_ms(), heartbeat_at=now_ms()
    )
    _forget_old_runs()
    return report


def interrupted_runs_fail() -> None:
    """A new watcher is the only importer: a run that still says it is running lost its process."""
    Run.objects.filter(kind="import", status=Run.Status.RUNNING).update(
        status=Run.Status.FAILED,
        error="The import was cut off. Nothing is lost: the next one reads on where it stopped.",
        finished_at=now_ms(),
    )


def demo_settle() -> None:
    """Show the built-in demo as long as there is nothing else, and put it away when there is."""
    below = f"{DEMO}/"
    current = Source.objects.exclude(state=Source.State.REPLACED)
    demo = current.filter(path__startswith=below)
    others = Transcript.objects.filter(source__in=current).exclude(source__path__startswith=below)
    if others.exists():
        demo.update(state=Source.State.REPLACED)
    elif not demo.exists() and DEMO.is_dir():
        import_run(DEMO, demo=True)


def _forget_old_runs() -> None:
    keep = Run.objects.filter(kind="import").order_by("-pk").values_list("pk", flat=True)[:KEPT_RUNS]
    Run.objects.filter(kind="import").exclude(pk__in=list(keep)).delete()
