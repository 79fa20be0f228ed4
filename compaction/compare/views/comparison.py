"""Before and after: a compaction, or any two points of a session, beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from compaction.compare.engine import (
    Comparison,
    Layout,
    Status,
    shares_of,
    validity_of,
)
from compaction.compare.engine.presentation import Shown
from compaction.compare.engine.sentence import recorded_title, sentence, summary_in
from compaction.compare.engine.shares import tally_of_messages
from compaction.compare.engine.status import LABELS, SYMBOLS
from compaction.compare.selectors.comparisons import Compared, comparison_of
from compaction.compare.selectors.points import (
    SHOWN,
    End,
    Points,
    choices_of,
)
from compaction.export.selectors import build_export_view
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.svg import token_bar
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import SessionHead, session_head

TEMPLATE = "compaction/comparison.html"
LONG = 5_000


@dataclass(frozen=True, slots=True)
class State:
    """What the address says beside the two points."""

    points: dict[str, str]
    chosen: frozenset[Status]
    inline: bool
    opened: str

    @classmethod
    def of(cls, request: HtmxRequest, **points: str) -> State:
        names = request.GET.get("show", "").split(",")
        chosen = frozenset(status for status in Status if status.value in names)
        return cls(points, chosen, request.GET.get("view") == "inline", request.GET.get("open", ""))

    @property
    def query(self) -> str:
        return self.with_()

    def with_(self, *, chosen: frozenset[Status] | None = None, inline: bool | None = None) -> str:
        chosen = self.chosen if chosen is None else chosen
        asked = dict(self.points)
        if chosen:
            asked["show"] = ",".join(status.value for status in Status if status in chosen)
        if self.inline if inline is None else inline:
            asked["view"] = "inline"
        return urlencode(asked, safe=",")


@require_safe
def compaction_detail(request: HtmxRequest, session: str, name: str) -> HttpResponse:
    """One compaction: a record of the session by its address, or `run-<number>`."""
    head = session_head(session, now_ms())
    points = Points(head.transcript)
    if name.startswith("run-"):
        row = points.compaction(name.removeprefix("run-"))
        both = comparison_of(points, (name,), lambda: points.compacted(row))
        values: dict[str, Any] = {"title": f"{row.kind.capitalize()} compaction, run {row.run_id or row.pk}"}
        values |= {"made": row, "exporting": SimpleLazyObject(lambda: build_export_view(row))}
    else:
        recorded = points.boundary(name)
        both = comparison_of(points, (name,), lambda: points.around(recorded))
        values = {"title": recorded_title(recorded.record), "recorded": recorded}
    values["name"] = name
    return _page(request, head, State.of(request), both, values)


@require_safe
def transcript_compare(request: HtmxRequest, session: str) -> HttpResponse:
    """Any two points, which the address names."""
    head = session_head(session, now_ms())
    names = [request.GET.get(one, "").strip() for one in ("a", "b")]
    if not all(names):
        return render_page(request, TEMPLATE, {**_frame(head), "asked": names, "choices": choices_of(head.transcript)})
    points = Points(head.transcript)
    found = comparison_of(points, (names[0], names[1]), lambda: (points.end(names[0]), points.end(names[1])))
    state = State.of(request, a=names[0], b=names[1])
    values = {"asked": names, "title": "Two points of this session", "choices": choices_of(head.transcript)}
    return _page(request, head, state, found, values)


def _page(
    request: HtmxRequest, head: SessionHead, state: State, both: Compared, values: dict[str, Any]
) -> HttpResponse:
    before, after, found = both.before, both.after, both.found
    shown = Shown(found, before.side, after.side, mask, state.opened)
    if "name" in values:
        shown.trace(both.traced)
    layout = Layout(found, state.chosen)
    values = {**_frame(head), "choices": None, **values, **ends_of(before, after), "state": state, "here": state.query}
    if request.htmx and request.GET.get("part") == "sendable":
        return render_page(request, f"{TEMPLATE}#sendable", {**values, **_sendable(found, after)})
    if part := part_of(request, shown, layout, values):
        name, more = part
        return render_page(request, name, {**values, **more})
    start = query_number(request, "from")
    place = state.opened.partition(".")[0]
    if start is None and (row := shown.find(place)) is not None and not state.chosen:
        start = row
    return render_page(
        request,
        TEMPLATE,
        {
            **values,
            "found": found,
            "summary": summary_in(found),
            "sentence": sentence(found),
            "items": shown.rows(layout.page(start)),
            "chips": chips_of(found, state),
            "sizes": _sizes(before, after),
            **(_sendable(found, after) if _wants_check(request, found) else {"validity": None}),
            "everything": state.with_(chosen=frozenset()),
            "beside": state.with_(inline=False),
            "inline": state.with_(inline=True),
        },
        partials=("comparison",),
    )


def _wants_check(request: HtmxRequest, found: Comparison) -> bool:
    """Of a long conversation the page comes first, and asks for the check by itself."""
    return len(found.before) + len(found.after) < LONG or request.GET.get("checked") == "1"


def _sendable(found: Comparison, after: End) -> dict[str, Any]:
    validity = validity_of(found, after.model)
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


def ends_of(before: End, after: End) -> dict[str, Any]:
    return {
        "before": before,
        "after": after,
        "before_root": session_root(before.transcript),
        "after_root": session_root(after.transcript),
    }


def part_of(
    request: HtmxRequest, shown: Shown, layout: Layout, values: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """What htmx wants alone: a block or a message as a whole, or the rows of a gap."""
    part = request.GET.get("part", "") if request.htmx else ""
    opened = request.GET.get("open", "")
    if part == "piece":
        block = shown.block(opened)
        if block is None:
            raise Http404(f"There is no block {opened[:SHOWN]}.")
        root = "before_root" if opened[0] == "b" else "after_root"
        known = {"piece": block.piece, "paired": block.paired, "diff": block.diff, "whole": True}
        return "transcripts/_piece.html", {**known, "root": values[root], "query": values["here"]}
    if part == "message":
        row = shown.whole(opened)
        if row is None:
            raise Http404(f"There is no message {opened[:SHOWN]}.")
        return f"{TEMPLATE}#rows", {"items": [row]}
    numbers = [query_number(request, name) for name in ("first", "end", "from")]
    if part == "rows" and None not in numbers:
        first, end, start = (number or 0 for number in numbers)
        return f"{TEMPLATE}#rows", {"items": shown.rows(layout.fill(first, end, start))}
    return None


def chips_of(found: Comparison, state: State) -> list[dict[str, Any]]:
    """A chip for each status there is; each leads to the page with it, or without it."""
    return [
        {
            "status": count.status,
            "symbol": SYMBOLS[count.status],
            "label": LABELS[count.status],
            "count": count,
            "chosen": count.status in state.chosen,
            "query": state.with_(chosen=state.chosen ^ {count.status}),
        }
        for count in found.counts()
    ]


def _sizes(before: End, after: End) -> dict[str, Any]:
    """Two bars of one scale, and the same as a table."""
    tallies = [tally_of_messages(end.side.messages, end.given) for end in (before, after)]
    shares = shares_of(*tallies)
    limit = max(tallies[0].total, tallies[1].total)
    bars = [
        token_bar([(share.category.value, share.label, value) for share, value in pairs], limit=limit)
        for pairs in (
            [(share, share.before) for share in shares],
            [(share, share.after) for share in shares],
        )
    ]
    return {"shares": shares, "before": bars[0], "after": bars[1], "difference": bars[1].total - bars[0].total}
