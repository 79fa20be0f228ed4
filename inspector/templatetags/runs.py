"""Template tags for the title of a run, its buttons and its state."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from inspector.runs.kinds import WHEN_KILLED, find_run_kind
from inspector.runs.models import Run

register = template.Library()

MOST_NAMED = 8
MARKS = {"queued": "○", "running": "●", "completed": "✓", "failed": "✕", "killed": "■", "lost": "!", "alarmed": "!"}
WORDS = {"lost": "silent", "alarmed": "completed, with findings"}


@register.filter
def kind_title(kind: str) -> str:
    run_kind = find_run_kind(kind)
    return run_kind.title if run_kind else kind[:1].upper() + kind[1:]


@register.filter
def can_kill(run: Run) -> bool:
    return run.status in (Run.Status.QUEUED, Run.Status.RUNNING)


@register.filter
def when_killed(kind: str) -> str:
    run_kind = find_run_kind(kind)
    return run_kind.when_killed if run_kind else WHEN_KILLED


@register.filter
def can_retry(run: Run) -> bool:
    return run.finished_at is not None and find_run_kind(run.kind) is not None


@register.filter
def state_mark(status: str) -> str:
    return MARKS.get(status, "?")


@register.filter
def state_words(status: str) -> str:
    return WORDS.get(status, status)


@register.filter
def kinds_and_phases(runs: Sequence[Run]) -> str:
    """The kinds and phases of the first of them."""
    return ", ".join([f"{run.kind}: {run.phase}" if run.phase else run.kind for run in runs[:MOST_NAMED]])
