"""What a run is called, what may be done with it, and how its state is drawn."""

from __future__ import annotations

from django import template

from inspector.models import Run
from inspector.services.runs.kinds import KILLED, kind_named

register = template.Library()

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
