"""The compactions of a session: those that the client recorded, and those made here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from compaction.kinds.selectors import compactions_of
from compaction.kinds.services.runs import KIND
from compaction.trail.selectors.trail import ContextSize, Trail, TrailStep, compacted_subagents, trail_of
from inspector.runs.models import Run
from inspector.runs.selectors.lists import DETAIL_FIELDS, RunCard, run_cards
from inspector.web.addresses import entry_url, session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.svg import Series, series
from sessions.models import Transcript
from sessions.transcripts.selectors.session import session_head

MOST_LOCAL = 50
"""The most compactions made here that are listed."""
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
        "charts": list(find_charts(trail, root)),
        "made": compactions_of(head.transcript)[:MOST_LOCAL],
        "agents": compacted_subagents(head.transcript),
        "damage": list(trail.damage.items()),
        "runs": unfinished_runs(head.transcript),
    }
    return render_page(request, "compaction/trail/list.html", values, partials=("trail",))


def unfinished_runs(transcript: Transcript) -> list[RunCard]:
    """Compactions that are under way or failed; the others have a result of their own in the list."""
    runs = Run.objects.filter(kind=KIND, parameters__transcript=transcript.pk)
    unfinished = runs.exclude(status=Run.Status.COMPLETED).defer(*DETAIL_FIELDS).order_by("-pk")
    return run_cards(unfinished[:MOST_RUNS], now_ms())


def find_charts(trail: Trail, root: str) -> Iterable[tuple[str, str, Series]]:
    """The title, unit and line of each number that at least two compactions have."""
    steps = [step for step in trail.steps if step.event.is_compaction and not step.is_abandoned]
    for title, unit, value in CHARTS:
        points = [(f"compaction {step.number}", *point) for step in steps if (point := value(step)) is not None]
        if len(points) > 1:
            yield (
                title,
                unit,
                series([(label, size, entry_url(root, position)) for label, size, position in points], height=56),
            )


def _size(size: ContextSize | None) -> tuple[float, int] | None:
    return (size.tokens / THOUSAND, size.position) if size else None


def _summary(step: TrailStep) -> tuple[float, int] | None:
    summary, weight = step.event.summary, step.summary
    return (weight.tokens / THOUSAND, summary.position) if summary and weight else None


def _left_percent(step: TrailStep) -> tuple[float, int] | None:
    quotes = step.quotes
    if quotes is None or quotes.left is None or not quotes.total:
        return None
    return 100 * quotes.left / quotes.total, step.event.position


CHARTS: tuple[tuple[str, str, Callable[[TrailStep], tuple[float, int] | None]], ...] = (
    ("Tokens before", "k tokens", lambda step: _size(step.before)),
    ("Tokens after", "k tokens", lambda step: _size(step.after)),
    ("Summary", "k tokens", _summary),
    ("User messages left", "%", _left_percent),
)
"""Title, unit, and a function for the value of a compaction and the position of its record."""
