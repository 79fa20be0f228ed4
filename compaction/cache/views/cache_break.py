"""One break of the cache: why, with the two requests side by side where they part, and what to do about it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from compaction.cache.engine.prompt import prompt_of
from compaction.cache.engine.sides import text_at
from compaction.cache.selectors.breaks import (
    BreakMissingError,
    break_of,
    breaks_of,
    session_of,
)
from compaction.cache.views.session import cache_frame, shown_break, told
from compaction.compare.engine import Layout
from compaction.compare.engine.presentation import Shown, ShownRow, Side
from compaction.compare.engine.requests import (
    Part,
    Row,
    Status,
    shown_parts,
)
from compaction.compare.selectors.comparisons import ends_compared
from compaction.compare.selectors.points import End, Points
from compaction.compare.selectors.request_pairs import request_end
from compaction.compare.views.comparison import State, ends_of, part_of
from compaction.compare.views.requests import compared
from compaction.models import CacheBreak
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import session_head

TEMPLATE = "cache/break.html"
_MESSAGE = re.compile(r"messages\[(\d+)\]\.content\[(\d+)\]")
_AROUND = 1
"""Rows of messages before and after the one where they part."""


@require_safe
def cache_break(request: HtmxRequest, session: str, message_id: str) -> HttpResponse:
    head = session_head(session, now_ms())
    try:
        one = break_of(session_of(head.transcript), message_id)
    except BreakMissingError as error:
        raise Http404("No break of the cache of this session is known at that request.") from error
    if one.transcript_id != head.transcript.pk:
        return HttpResponseRedirect(address_of(one))
    points = Points(head.transcript)
    before, after = (request_end(points, name) for name in (one.previous_message_id, one.message_id))
    state = State.of(request)
    values = {**cache_frame(head), **ends_of(before, after), "state": state, "here": ""}
    message = _MESSAGE.fullmatch(str(one.divergence.get("path", "")))
    if message is None:
        values |= _parting(one, compared(before, after, state.opened))
    else:
        found = ends_compared(points, before, after)
        shown = Shown(found, before.side, after.side, mask, state.opened)
        if part := part_of(request, shown, Layout(found), values):
            name, more = part
            return render_page(request, name, {**values, **more})
        values |= {
            **compared(before, after, ""),
            **_in_message(one, shown, (before, after), *map(int, message.groups())),
        }
    known = {"one": shown_break(one), "row": one, "also": [told(other) for other in one.also], **_neighbours(one)}
    return render_page(request, TEMPLATE, {**values, **known})


def address_of(one: CacheBreak) -> str:
    return f"{session_root(one.transcript)}cache/{quote(one.message_id, safe='')}/"


def _parting(one: CacheBreak, known: dict[str, Any]) -> dict[str, Any]:
    """The differences of the part where they part: its name, or none if they do not part anywhere."""
    name = str(one.divergence.get("part", ""))
    parting = name if name in ("", "tools", "system") else "params"
    return {**known, "parting": parting, "parts": [part for part in known["parts"] if part.part.name == parting]}


def _in_message(one: CacheBreak, shown: Shown, ends: tuple[End, End], message: int, block: int) -> dict[str, Any]:
    """The block where they part, and the messages around it."""
    place = f"message {message + 1}, block {block + 1}"
    rows = _rows(shown, ends[0].side, ends[1].side, message)
    parts = shown_parts([_block(one, place, *ends)], mask)
    return {"parting": "messages", "place": place, "items": rows, "parts": parts}


def _block(one: CacheBreak, name: str, before: End, after: End) -> Part:
    """The block where they part, as the two requests have it."""
    paths = [str(one.divergence[side]["path"]) for side in ("old", "new")]
    old, new = (text_at(prompt_of(end.at_hand), path) for end, path in zip((before, after), paths, strict=True))
    status: Status = "added" if old is None else "removed" if new is None else "changed"
    return Part("messages", (Row(name, status, old or "", new or ""),))


def _rows(shown: Shown, before: Side, after: Side, message: int) -> list[ShownRow]:
    """The row of the message where they part and those around it, as the later request has them, or else the former."""
    for name, side in (("a", after), ("b", before)):
        at = next((at for at, number in enumerate(side.numbers) if number == message + 1), None)
        row = None if at is None else shown.find(f"{name}{at}")
        if row is not None:
            return [one for one in shown.rows(range_of(shown, row)) if isinstance(one, ShownRow)]
    return []


def range_of(shown: Shown, row: int) -> list[int]:
    return [at for at in range(row - _AROUND, row + _AROUND + 2) if 0 <= at < len(shown)]


def _neighbours(one: CacheBreak) -> dict[str, Any]:
    """The breaks before and after it, in the same file."""
    alike = breaks_of(one.session, expected=one.expected).filter(transcript=one.transcript_id)
    ids = list(alike.values_list("message_id", flat=True))
    at = ids.index(one.message_id)
    return {
        "previous_break": ids[at - 1] if at else "",
        "next_break": ids[at + 1] if at + 1 < len(ids) else "",
        "nth": at + 1,
        "of": len(ids),
    }
