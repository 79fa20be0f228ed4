"""The compactions of a session: what the client recorded, what was made here, and how one follows on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from compaction.kinds.selectors import compactions_of
from compaction.kinds.services.runs import KIND
from compaction.trail.selectors.trail import (
    Size,
    Step,
    Trail,
    agents_compacted,
    trail_of,
)
from inspector.runs.models import Run
from inspector.runs.selectors.lists import DETAIL_FIELDS, RunCard, run_cards
from inspector.web.addresses import entry_url, session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.svg import Series, series
from sessions.models import Transcript
from sessions.transcripts.selectors.session import session_head

MADE = 50
"""Compactions made here that are listed."""
THOUSAND = 1000
MOST_RUNS = 20


@require_safe
def compaction_list(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    trail = trail_of(head.transcript, query_number(request, "page"))
    root = session_root(head.transcript)
    values = {
        "section": "sessions",
        "tab": "compactions",
        "head": head,
        "session": head.transcript,
        "root": root,
        "trail": trail,
        "page": trail.page,
        "charts": list(charts(trail, root)),
        "made": compactions_of(head.transcript)[:MADE],
        "agents": agents_compacted(head.transcript),
        "damage": list(trail.damage.items()),
        "runs": unfinished_runs(head.transcript),
    }
    return render_page(request, "compaction/list.html", values, partials=("trail",))


def unfinished_runs(transcript: Transcript) -> list[RunCard]:
    """Compactions that are under way or came to nothing: the others have left something to look at."""
    runs = Run.objects.filter(kind=KIND, parameters__transcript=transcript.pk)
    unfinished = runs.exclude(status=Run.Status.COMPLETED).defer(*DETAIL_FIELDS).order_by("-pk")
    return run_cards(unfinished[:MOST_RUNS], now_ms())


def charts(trail: Trail, root: str) -> Iterable[tuple[str, str, Series]]:
    """Title, unit and line of each number that at least two compactions have."""
    steps = [step for step in trail.steps if step.event.summarises and not step.left]
    for title, unit, value in CHARTS:
        points = [(f"compaction {step.number}", *found) for step in steps if (found := value(step)) is not None]
        if len(points) > 1:
            yield title, unit, series([(label, size, entry_url(root, at)) for label, size, at in points], height=56)


def _size(size: Size | None) -> tuple[float, int] | None:
    return (size.tokens / THOUSAND, size.position) if size else None


def _summary(step: Step) -> tuple[float, int] | None:
    summary = step.event.summary
    return (len(step.event.text) / THOUSAND, summary.position) if summary else None


def _left(step: Step) -> tuple[float, int] | None:
    said = step.said
    if said is None or said.survived is None or not said.total:
        return None
    return 100 * said.survived / said.total, step.event.position


CHARTS: tuple[tuple[str, str, Callable[[Step], tuple[float, int] | None]], ...] = (
    ("Tokens before", "k", lambda step: _size(step.before)),
    ("Tokens after", "k", lambda step: _size(step.after)),
    ("Summary", "k characters", _summary),
    ("User messages left", "%", _left),
)
"""The value of a compaction, and where the record stands that says so."""
