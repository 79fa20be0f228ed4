"""Before and after, side by side: a compaction, or any two points of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from compaction.compare.engine import Comparison, Layout, Status, check_validity, shares_of
from compaction.compare.engine.presentation import ComparisonView
from compaction.compare.engine.sentence import find_summary, recorded_title, sentence
from compaction.compare.engine.status import LABELS, SYMBOLS
from compaction.compare.selectors.comparisons import SessionComparison, load_comparison
from compaction.compare.selectors.points import NAME_CHARACTERS, ComparedContext, Points, choices_of
from compaction.export.selectors import build_export_view
from compaction.kinds.engine.result import edits_by_api
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.svg import token_bar
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import SessionHead, session_head

TEMPLATE = "compaction/compare/comparison.html"
LONG = 5_000


@dataclass(frozen=True, slots=True)
class ComparisonState:
    """The rest of the address, besides the two points."""

    points: dict[str, str]
    chosen: frozenset[Status]
    inline: bool
    opened: str

    @classmethod
    def of(cls, request: HtmxRequest, **points: str) -> ComparisonState:
        names = request.GET.get("show", "").split(",")
        chosen = frozenset(status for status in Status if status.value in names)
        return cls(points, chosen, request.GET.get("view") == "inline", request.GET.get("open", ""))

    @property
    def query(self) -> str:
        return self.query_with()

    def query_with(self, *, chosen: frozenset[Status] | None = None, inline: bool | None = None) -> str:
        chosen = self.chosen if chosen is None else chosen
        query = dict(self.points)
        if chosen:
            query["show"] = ",".join(status.value for status in Status if status in chosen)
        if self.inline if inline is None else inline:
            query["view"] = "inline"
        return urlencode(query, safe=",")


@require_safe
def compaction_detail(request: HtmxRequest, session: str, name: str) -> HttpResponse:
    """One compaction: a record of the session by its address, or `run-<number>`."""
    head = session_head(session, now_ms())
    points = Points(head.transcript)
    if name.startswith("run-"):
        row = points.compaction(name.removeprefix("run-"))
        both = load_comparison(points, (name,), lambda: points.around_run(row))
        values: dict[str, Any] = {"title": f"{row.kind.capitalize()} compaction, run {row.run_id or row.pk}"}
        values |= {"made": row, "exporting": SimpleLazyObject(lambda: build_export_view(row))}
    else:
        recorded = points.boundary(name)
        both = load_comparison(points, (name,), lambda: points.around(recorded))
        title = recorded_title(recorded.record, both.before.side.size)
        values = {"title": title, "recorded": recorded}
    values["name"] = name
    return _page(request, head, ComparisonState.of(request), both, values)


@require_safe
def transcript_compare(request: HtmxRequest, session: str) -> HttpResponse:
    """Any two points, which the address names."""
    head = session_head(session, now_ms())
    names = [request.GET.get(name, "").strip() for name in ("a", "b")]
    if not all(names):
        return render_page(request, TEMPLATE, {**_frame(head), "names": names, "choices": choices_of(head.transcript)})
    points = Points(head.transcript)
    comparison = load_comparison(points, (names[0], names[1]), lambda: (points.end(names[0]), points.end(names[1])))
    state = ComparisonState.of(request, a=names[0], b=names[1])
    values = {"names": names, "title": "Two points of this session", "choices": choices_of(head.transcript)}
    return _page(request, head, state, comparison, values)


def _page(
    request: HtmxRequest, head: SessionHead, state: ComparisonState, both: SessionComparison, values: dict[str, Any]
) -> HttpResponse:
    before, after, comparison = both.before, both.after, both.comparison
    view = ComparisonView(comparison, before.side, after.side, mask, state.opened)
    if "name" in values:
        view.trace(both.attribution)
    layout = Layout(comparison, state.chosen)
    values = {**_frame(head), "choices": None, **values, **ends_of(before, after), "state": state, "here": state.query}
    if request.htmx and request.GET.get("part") == "sendable":
        return render_page(request, f"{TEMPLATE}#sendable", {**values, **_sendable(comparison, after)})
    if part := part_of(request, view, layout, values):
        name, more = part
        return render_page(request, name, {**values, **more})
    start = query_number(request, "from")
    place = state.opened.partition(".")[0]
    if start is None and (row := view.find(place)) is not None and not state.chosen:
        start = row
    return render_page(
        request,
        TEMPLATE,
        {
            **values,
            "comparison": comparison,
            "summary": find_summary(comparison),
            "sentence": sentence(comparison),
            "items": view.rows(layout.page(start)),
            "chips": chips_of(comparison, state),
            "sizes": _sizes(before, after),
            **(_sendable(comparison, after) if _wants_check(request, comparison) else {"validity": None}),
            "everything": state.query_with(chosen=frozenset()),
            "beside": state.query_with(inline=False),
            "inline": state.query_with(inline=True),
        },
        partials=("comparison",),
    )


def _wants_check(request: HtmxRequest, comparison: Comparison) -> bool:
    """For a long conversation the page is shown first, and then requests the check."""
    return len(comparison.before) + len(comparison.after) < LONG or request.GET.get("checked") == "1"


def _sendable(comparison: Comparison, after: ComparedContext) -> dict[str, Any]:
    by_api = after.compaction is not None and edits_by_api(after.compaction.report.get("beside", {}))
    validity = check_validity(comparison, after.model, edited_by_api=by_api)
    return {"validity": validity, "refused": not after.answered and bool(validity.refused or validity.dead)}


def _frame(head: SessionHead) -> dict[str, Any]:
    transcript = head.transcript
    return {
        "section": "sessions",
        "tab": "compactions",
        "head": head,
        "session": transcript,
        "root": session_root(transcript),
    }


def ends_of(before: ComparedContext, after: ComparedContext) -> dict[str, Any]:
    return {
        "before": before,
        "after": after,
        "before_root": session_root(before.transcript),
        "after_root": session_root(after.transcript),
    }


def part_of(
    request: HtmxRequest, view: ComparisonView, layout: Layout, values: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """A part of the page for htmx: a whole block or message, or the rows of a gap."""
    part = request.GET.get("part", "") if request.htmx else ""
    opened = request.GET.get("open", "")
    if part == "piece":
        block = view.block(opened)
        if block is None:
            raise Http404(f"There is no block {opened[:NAME_CHARACTERS]}.")
        root = "before_root" if opened[0] == "b" else "after_root"
        values_of_piece = {"piece": block.piece, "paired": block.paired, "diff": block.diff, "whole": True}
        return "sessions/context/_piece.html", {**values_of_piece, "root": values[root], "query": values["here"]}
    if part == "message":
        row = view.whole(opened)
        if row is None:
            raise Http404(f"There is no message {opened[:NAME_CHARACTERS]}.")
        return f"{TEMPLATE}#rows", {"items": [row]}
    numbers = [query_number(request, name) for name in ("first", "end", "from")]
    if part == "rows" and None not in numbers:
        first, end, start = (number or 0 for number in numbers)
        return f"{TEMPLATE}#rows", {"items": view.rows(layout.fill(first, end, start))}
    return None


def chips_of(comparison: Comparison, state: ComparisonState) -> list[dict[str, Any]]:
    """A chip for each status in the comparison, which links to the page with or without it."""
    return [
        {
            "status": count.status,
            "symbol": SYMBOLS[count.status],
            "label": LABELS[count.status],
            "count": count,
            "chosen": count.status in state.chosen,
            "query": state.query_with(chosen=state.chosen ^ {count.status}),
        }
        for count in comparison.counts()
    ]


def _sizes(before: ComparedContext, after: ComparedContext) -> dict[str, Any]:
    """Two bars on one scale, and the same as a table."""
    sides, sizes = [], []
    for end in (before, after):
        assert end.side.weights is not None
        assert end.side.size is not None
        sides.append(end.side.weights.categories(end.side.messages, end.setup, end.model))
        sizes.append(end.side.size)
    shares = shares_of(sides[0], sides[1], (sizes[0], sizes[1]))
    parts = [
        [(share.category.value, share.label, round(share.before.tokens)) for share in shares],
        [(share.category.value, share.label, round(share.after.tokens)) for share in shares],
    ]
    limit = max(sum(tokens for *_, tokens in side) for side in parts)
    bars = [token_bar(side, limit=limit) for side in parts]
    return {"shares": shares, "before": bars[0], "after": bars[1], "difference": bars[1].total - bars[0].total}
