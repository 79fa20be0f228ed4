"""One request in detail: tools, system prompt, messages and marks, and which of them the cache had."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.svg import TokenBar, token_bar
from sessions.context.engine import Context
from sessions.context.engine.presentation.messages import MessageArray, is_number, setup_origin
from sessions.context.selectors.viewpoint import Viewpoint, find_viewpoint
from sessions.context.views.context import base_values
from sessions.requests.engine import Anatomy, fold_parts
from sessions.requests.engine.presentation import PartViews, list_params
from sessions.requests.engine.sentence import cache_sentence
from sessions.requests.selectors.prompt import anatomy_at, prompt_at
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import session_head

TEMPLATE = "sessions/requests/request.html"
PARTS = "sessions/requests/_anatomy.html#parts"


@require_safe
def request_detail(request: HtmxRequest, session: str, message_id: str) -> HttpResponse:
    head = session_head(session, now_ms())
    view = find_viewpoint(head.transcript, request=message_id)
    if view.transcript.pk != head.transcript.pk:
        return HttpResponseRedirect(request_address(view))
    sent = view.context()
    weights = view.weights(sent)
    array = MessageArray(sent, mask, request.GET.get("open", ""), weights)
    values = {**base_values(head, view), "tab": "cache", "sent": sent, "here": request_address(view)}
    anatomy = anatomy_at(view, sent, weights)
    parts = anatomy_values(request, sent, array, anatomy)
    if "part" not in parts:
        parts["prompt"] = prompt_at(view, sent, anatomy)
    if name := parts.pop("part", ""):
        return render_page(request, name, {**values, **parts})
    return render_page(request, TEMPLATE, {**values, **parts}, partials=("request",))


def request_address(view: Viewpoint) -> str:
    return f"{session_root(view.transcript)}requests/{quote(view.point.request, safe='')}/"


def anatomy_values(request: HtmxRequest, sent: Context, array: MessageArray, anatomy: Anatomy) -> dict[str, Any]:
    """The values of `_anatomy.html`, and `part`, the name of the fragment if htmx asked for one."""
    opened = request.GET.get("open", "")
    part_views = PartViews(sent.setup, sent.elements, array, mask, opened=opened, origin=setup_origin(sent))
    if request.htmx and (fragment := _fragment(request, array, anatomy, part_views)):
        return fragment
    start = query_number(request, "first")
    if start is None and is_number(message := opened.partition(".")[0]):
        start = max(0, int(message) - 2)
    starts = {"messages": start}
    return {
        "anatomy": anatomy,
        "sentence": cache_sentence(anatomy.usage),
        "sections": [
            (section, part_views.views(fold_parts(section.parts, starts.get(section.name)), section.name))
            for section in anatomy.sections
        ],
        "earlier": start or 0,
        "open_tools": opened.startswith("tools."),
        "params": list_params(sent.setup, mask),
        **token_bars(anatomy),
    }


def _fragment(
    request: HtmxRequest, array: MessageArray, anatomy: Anatomy, part_views: PartViews
) -> dict[str, Any] | None:
    """A fragment for htmx: a whole block, the parts of a fold, or one part unfolded or folded."""
    part, opened = request.GET.get("part", ""), request.GET.get("open", "")
    if part == "piece":
        piece = array.piece(opened)
        if piece is None:
            raise Http404("The request has no such block.")
        return {"part": "sessions/context/_piece.html", "piece": piece, "whole": True, "query": ""}
    section = next((candidate for candidate in anatomy.sections if candidate.name == request.GET.get("section")), None)
    if section is None or part not in ("rows", "open", "close"):
        return None
    if part == "rows":
        first, end = query_number(request, "first"), query_number(request, "end")
        rows = part_views.views(fold_parts(section.parts, first or 0, end), section.name)
        return {"part": PARTS, "rows": rows, "section": section}
    chosen = next((candidate for candidate in section.parts if candidate.place == opened), None)
    if chosen is None:
        raise Http404("The request has no such part.")
    return {"part": PARTS, "rows": [part_views.view(chosen, section.name, whole=part == "open")], "section": section}


def token_bars(anatomy: Anatomy) -> dict[str, Any]:
    """Two bars on one scale: what the cache did, and what the prompt consists of, with its marks."""
    usage, total = anatomy.usage, max(1.0, anatomy.total)
    cache: TokenBar | None = None
    if usage is not None and usage.context:
        written = usage.cache_write_5m + usage.cache_write_1h
        parts = [("read", "read", usage.cache_read), ("written", "written", written), ("fresh", "fresh", usage.input)]
        cache = token_bar(parts)
    contents = [
        ("unseen", anatomy.unrecorded_label, round(anatomy.before_messages)),
        ("unseen", "not recorded", round(anatomy.beside)),
    ]
    contents += [
        (f"part-{section.name}", section.title.lower(), round(section.end - section.begin))
        for section in anatomy.sections
    ]
    flags = [
        (round(100 * part.end / total, 3), mark, part)
        for section in anatomy.sections
        for part in section.parts
        for mark in part.marks
    ]
    return {"cache_bar": cache, "made_bar": token_bar(contents), "flags": flags}
