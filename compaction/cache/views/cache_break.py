"""One break of the cache: why it happened, the two requests side by side where they diverge, and what to do."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from compaction.cache.engine.differences.changes import MARKS
from compaction.cache.engine.differences.divergent_text import find_text
from compaction.cache.engine.requests.client_state import describe_state
from compaction.cache.engine.requests.prompt import prompt_of
from compaction.cache.selectors.breaks import BreakMissingError, break_of, breaks_of, session_of
from compaction.cache.selectors.client_states import state_of
from compaction.cache.views.session import break_view, cache_context, cause_view
from compaction.compare.engine import Layout
from compaction.compare.engine.presentation import ComparisonView, ContextSide, DiffRowView
from compaction.compare.engine.requests import DifferenceRow, DifferenceStatus, RequestPart, view_parts
from compaction.compare.selectors.comparisons import compare_ends
from compaction.compare.selectors.points import ComparedContext, Points
from compaction.compare.selectors.request_pairs import request_end
from compaction.compare.views.comparison import ComparisonState, ends_of, part_of
from compaction.compare.views.requests import compare_prompts
from compaction.models import CacheBreak
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.archive.selectors.records import Reader
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import session_head

TEMPLATE = "compaction/cache/break.html"
_MESSAGE = re.compile(r"messages\[(\d+)\]\.content\[(\d+)\]")
_AROUND = 1
"""Rows of messages before and after the one where the requests diverge."""


@require_safe
def cache_break(request: HtmxRequest, session: str, message_id: str) -> HttpResponse:
    head = session_head(session, now_ms())
    try:
        row = break_of(session_of(head.transcript), message_id)
    except BreakMissingError as error:
        raise Http404("No break of the cache of this session is known at that request.") from error
    if row.transcript_id != head.transcript.pk:
        return HttpResponseRedirect(break_address(row))
    points = Points(head.transcript)
    before, after = (request_end(points, name) for name in (row.previous_message_id, row.message_id))
    state = ComparisonState.of(request)
    values = {**cache_context(head), **ends_of(before, after), "state": state, "here": ""}
    message = _MESSAGE.fullmatch(str(row.divergence.get("path", "")))
    if message is None:
        values |= _different_parts(row, compare_prompts(before, after, state.opened))
    else:
        comparison = compare_ends(points, before, after)
        presentation = ComparisonView(comparison, before.side, after.side, mask, state.opened)
        if part := part_of(request, presentation, Layout(comparison), values):
            name, more = part
            return render_page(request, name, {**values, **more})
        values |= {
            **compare_prompts(before, after, ""),
            **_different_messages(row, presentation, (before, after), *map(int, message.groups())),
        }
    details = {
        "cache_break": break_view(row),
        "row": row,
        "also": [cause_view(other) for other in row.also],
        "states": _states(before, after),
        **_neighbours(row),
    }
    return render_page(request, TEMPLATE, {**values, **details})


def _states(before: ComparedContext, after: ComparedContext) -> list[tuple[str, str, str]]:
    """What is known of the client at both requests: the name and the two values of each fact, empty if unknown. Facts
    that are unknown at both are left out."""
    old, new = (
        state_of(end.transcript, end.loaded_context, Reader(end.transcript.source_id)) for end in (before, after)
    )
    rows = zip(describe_state(old), describe_state(new), strict=True)
    return [(name, was, now) for (name, was), (_, now) in rows if {was, now} - {"", "none"}]


def break_address(row: CacheBreak) -> str:
    return f"{session_root(row.transcript)}cache/{quote(row.message_id, safe='')}/"


def _different_parts(row: CacheBreak, context: dict[str, Any]) -> dict[str, Any]:
    """The differences of the part where the requests diverge; no part if they do not diverge anywhere."""
    name = str(row.divergence.get("part", ""))
    parting = "marks" if name == MARKS else name if name in ("", "tools", "system") else "params"
    return {**context, "parting": parting, "parts": [part for part in context["parts"] if part.part.name == parting]}


def _different_messages(
    row: CacheBreak,
    presentation: ComparisonView,
    ends: tuple[ComparedContext, ComparedContext],
    message: int,
    block: int,
) -> dict[str, Any]:
    """The block where the requests diverge, and the messages around it."""
    place = f"message {message + 1}, block {block + 1}"
    rows = _rows(presentation, ends[0].side, ends[1].side, message)
    parts = view_parts([_block(row, place, *ends)], mask)
    return {"parting": "messages", "place": place, "items": rows, "parts": parts}


def _block(row: CacheBreak, name: str, before: ComparedContext, after: ComparedContext) -> RequestPart:
    """The block where the requests diverge, as both have it."""
    paths = [str(row.divergence[side]["path"]) for side in ("old", "new")]
    old, new = (
        find_text(prompt_of(end.loaded_context), path) for end, path in zip((before, after), paths, strict=True)
    )
    status: DifferenceStatus = "added" if old is None else "removed" if new is None else "changed"
    return RequestPart("messages", (DifferenceRow(name, status, old or "", new or ""),))


def _rows(presentation: ComparisonView, before: ContextSide, after: ContextSide, message: int) -> list[DiffRowView]:
    """The row of the message where the requests diverge and those around it, by its number in the later request or else
    in the earlier one."""
    for name, side in (("a", after), ("b", before)):
        index = next((index for index, number in enumerate(side.numbers) if number == message + 1), None)
        row = None if index is None else presentation.find(f"{name}{index}")
        if row is not None:
            return [item for item in presentation.rows(rows_around(presentation, row)) if isinstance(item, DiffRowView)]
    return []


def rows_around(presentation: ComparisonView, row: int) -> list[int]:
    return [index for index in range(row - _AROUND, row + _AROUND + 2) if 0 <= index < len(presentation)]


def _neighbours(row: CacheBreak) -> dict[str, Any]:
    """The breaks before and after it, in the same file."""
    similar = breaks_of(row.session, expected=row.expected).filter(transcript=row.transcript_id)
    ids = list(similar.values_list("message_id", flat=True))
    index = ids.index(row.message_id)
    return {
        "previous_break": ids[index - 1] if index else "",
        "next_break": ids[index + 1] if index + 1 < len(ids) else "",
        "nth": index + 1,
        "of": len(ids),
    }
