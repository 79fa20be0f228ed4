"""Looks for breaks of the prompt cache as a run, after imports and recordings: usage is looked at first, so that a
session without a drop makes neither a run nor a row."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from compaction.cache.selectors.breaks import (
    broken_at,
    dropped_lately,
    scans_due,
    unseen,
)
from compaction.cache.services.scan import cache_breaks_none, cache_scan_stale
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, run_create
from sessions.models import Transcript
from sessions.text.engine.words import plural

KIND = "cache diff"
REPORT = "/cache/"
MOST_NAMES = 20


def cache_diffs_create(*, session: Transcript | None = None) -> Run:
    """A run that looks into one session, or into all that have changed; the one that is under way, if there is."""
    if session is None:
        return run_create(kind=KIND, target_url=REPORT)
    return run_create(
        kind=KIND,
        target=session.public_id,
        target_url=f"/sessions/{session.public_id}/cache/",
        parameters={"session": session.pk},
    )


def cache_diffs_follow(*, transcripts: Collection[int]) -> list[Run]:
    """For files that have grown: a run for each session whose cache dropped. Of one that nobody has looked into and
    that has no drop, no run is needed to say so."""
    dropped = dropped_lately(transcripts)
    sessions = Transcript.objects.filter(pk__in=dropped).order_by("pk")
    cache_breaks_none(sessions=unseen(transcripts) - dropped)
    return [cache_diffs_create(session=one) for one in sessions]


def cache_diffs_recorded(*, messages: Collection[str]) -> list[Run]:
    """For requests that were recorded after their breaks had been looked into: those are compared again."""
    due = set(scans_due(broken_at(messages))) if messages else set()
    return [cache_diffs_create(session=one) for one in Transcript.objects.filter(pk__in=due).order_by("pk")]


def cache_diffs_catch_up() -> Run | None:
    """After an import of everything."""
    return cache_diffs_create() if scans_due() else None


def cache_diffs_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    session = run.parameters.get("session")
    running.begin_phase("comparing requests", unit="sessions")
    damage: dict[int, str] = {}
    done = cache_scan_stale(
        damage=damage,
        ids=None if session is None else [session],
        check=running.check,
        tell=lambda count, total: running.report_progress(count, total=total),
    )
    told = f"Looked into {plural(done - len(damage), 'session')}."
    return {
        "summary": told,
        "alarm": _alarm(damage),
        "sessions": done,
        "links": [["What was found", run.target_url or REPORT]],
    }


def _alarm(damage: dict[int, str]) -> str:
    if not damage:
        return ""
    names = Transcript.objects.filter(pk__in=damage).values_list("public_id", flat=True)
    return f"Not looked into, because they are damaged in the archive: {', '.join(names[:MOST_NAMES])}."
