"""What a run is called, what may be done with it, and how its state is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from inspector.runs.kinds import KILLED, kind_named
from inspector.runs.models import Run
from inspector.runs.selectors.lists import LISTED, RunCard, run_cards
from inspector.web.clock import now_ms
from sessions.models import Transcript

register = template.Library()

MOST_RUNS = 20
MOST_NAMED = 8
MARKS = {"queued": "○", "running": "●", "completed": "✓", "failed": "✕", "killed": "■", "lost": "!", "alarmed": "!"}
WORDS = {"lost": "silent", "alarmed": "completed, with findings"}


@register.filter
def kind_title(kind: str) -> str:
    known = kind_named(kind)
    return known.title if known else kind[:1].upper() + kind[1:]


@register.filter
def killable(run: Run) -> bool:
    return run.status in (Run.Status.QUEUED, Run.Status.RUNNING)


@register.filter
def when_killed(kind: str) -> str:
    known = kind_named(kind)
    return known.when_killed if known else KILLED


@register.filter
def retriable(run: Run) -> bool:
    return run.finished_at is not None and kind_named(run.kind) is not None


@register.filter
def state_mark(status: str) -> str:
    return MARKS.get(status, "?")


@register.filter
def state_words(status: str) -> str:
    return WORDS.get(status, status)


@register.filter
def kinds_and_phases(runs: Sequence[Run]) -> str:
    """What the first of them are, and do now."""
    return ", ".join([f"{run.kind}: {run.phase}" if run.phase else run.kind for run in runs[:MOST_NAMED]])


@register.simple_tag
def compaction_runs(transcript: Transcript) -> list[RunCard]:
    """Compactions of a session that are under way, or came to nothing: the others have left something to look at."""
    runs = Run.objects.filter(kind="compaction", parameters__transcript=transcript.pk)
    unfinished = runs.exclude(status=Run.Status.COMPLETED).defer(*LISTED).order_by("-pk")
    return run_cards(unfinished[:MOST_RUNS], now_ms())
