"""Runs that look for breaks of the prompt cache, after imports and captures. The usage is checked first, so a session
without a drop makes neither a run nor a row."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from compaction.cache.selectors.breaks import (
    sessions_due,
    sessions_with_breaks_at,
    sessions_with_new_drops,
    short_unscanned_sessions,
)
from compaction.cache.services.scan import cache_scan_skip, cache_scan_stale
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, run_create
from sessions.models import Transcript
from sessions.text.engine.words import plural

KIND = "cache diff"
REPORT = "/cache/"
MOST_NAMES = 20


def cache_diffs_create(*, session: Transcript | None = None) -> Run:
    """A run that scans one session, or all that have changed; the one under way, if there is one."""
    if session is None:
        return run_create(kind=KIND, target_url=REPORT)
    return run_create(
        kind=KIND,
        target=session.public_id,
        target_url=f"/sessions/{session.public_id}/cache/",
        parameters={"session": session.pk},
    )


def cache_diffs_follow(*, transcripts: Collection[int]) -> list[Run]:
    """For files that have grown: a run for each session whose cache dropped. A session without a drop needs none."""
    dropped = sessions_with_new_drops(transcripts)
    sessions = Transcript.objects.filter(pk__in=dropped).order_by("pk")
    cache_scan_skip(sessions=short_unscanned_sessions(transcripts) - dropped)
    return [cache_diffs_create(session=session) for session in sessions]


def cache_diffs_recheck(*, messages: Collection[str]) -> list[Run]:
    """For requests that were captured after their breaks had been explained: those are compared again."""
    due = set(sessions_due(sessions_with_breaks_at(messages))) if messages else set()
    return [cache_diffs_create(session=session) for session in Transcript.objects.filter(pk__in=due).order_by("pk")]


def cache_diffs_catch_up() -> Run | None:
    """After an import of everything."""
    return cache_diffs_create() if sessions_due() else None


def cache_diffs_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    session = run.parameters.get("session")
    running.begin_phase("comparing requests", unit="sessions")
    damage: dict[int, str] = {}
    scanned = cache_scan_stale(
        damage=damage,
        ids=None if session is None else [session],
        check=running.check,
        report_progress=lambda count, total: running.report_progress(count, total=total),
    )
    summary = f"Looked into {plural(scanned - len(damage), 'session')}."
    return {
        "summary": summary,
        "alarm": _alarm(damage),
        "sessions": scanned,
        "links": [["What was found", run.target_url or REPORT]],
    }


def _alarm(damage: dict[int, str]) -> str:
    if not damage:
        return ""
    names = Transcript.objects.filter(pk__in=damage).values_list("public_id", flat=True)
    return f"Not looked into, because they are damaged in the archive: {', '.join(names[:MOST_NAMES])}."
