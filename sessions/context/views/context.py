"""What the model was sent: in a request, right after an entry, or next."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.object_cache import ObjectCache
from inspector.web.query import query_number
from inspector.web.svg import TokenBar, token_bar
from sessions.context.engine.presentation.messages import ElementView, MessageArray, MessageGap
from sessions.context.selectors.viewpoint import Viewpoint, find_viewpoint
from sessions.models import Request, Transcript
from sessions.secrets.engine import mask
from sessions.timeline.engine.ruler import build_ruler
from sessions.transcripts.selectors.session import SessionHead, session_head
from sessions.weights.engine.sizes import Sizes, sizes_of

ZOOM_BELOW = 0.4
"""A bar that fills less of the window is also shown enlarged."""
MESSAGES = "sessions/context/context.html#messages"
_items: ObjectCache[list[ElementView | MessageGap]] = ObjectCache()
_sizes: ObjectCache[Sizes] = ObjectCache()


@require_safe
def transcript_context(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    view = read_viewpoint(request, head.transcript)
    if view.transcript.pk != head.transcript.pk:
        return redirect_to_subagent("transcript-context", view)
    sent = view.context()
    weights = view.weights(sent)
    array = MessageArray(sent, mask, request.GET.get("open", ""), weights)
    values = base_values(head, view)
    if fragment := _part(request, array, view.query):
        name, values_of_part = fragment
        return render_page(request, name, {**values, **values_of_part})
    sizes = _sizes.get(sent, weights, lambda: sizes_of(sent, weights))
    start, opened = query_number(request, "from"), request.GET.get("open", "")
    # A block that is shown as a whole may be large, and is looked at once.
    items = array.page(start) if opened else _items.get(sent, (weights, start), lambda: array.page(start))
    return render_page(
        request,
        "sessions/context/context.html",
        {
            **values,
            "sent": sent,
            "answered": any(element.role == "assistant" for element in sent.elements),
            "array": array,
            "setup_elements": array.setup_elements(),
            "items": items,
            "sizes": sizes,
            **_bars(sizes, view.request),
            **_ruler(view),
        },
        partials=("context",),
    )


def base_values(head: SessionHead, view: Viewpoint) -> dict[str, Any]:
    """The template values that all pages about a context share."""
    transcript = head.transcript
    root = session_root(transcript)
    return {"section": "sessions", "tab": "context", "head": head, "session": transcript, "view": view, "root": root}


def redirect_to_subagent(name: str, view: Viewpoint) -> HttpResponseRedirect:
    """Redirect to the same page of the sub-agent that the viewpoint belongs to."""
    return HttpResponseRedirect(f"{reverse(name, args=[view.transcript.public_id])}?{view.query}")


def read_viewpoint(request: HtmxRequest, transcript: Transcript) -> Viewpoint:
    """The viewpoint that the address names; without one, the last request."""
    return find_viewpoint(
        transcript,
        request=request.GET.get("request", ""),
        after=request.GET.get("at", ""),
        at_end=request.GET.get("next") == "1",
    )


def _part(request: HtmxRequest, array: MessageArray, query: str) -> tuple[str, dict[str, Any]] | None:
    """A part for htmx: a block or a message as a whole, or the messages of a gap."""
    part = request.GET.get("part", "") if request.htmx else ""
    if part == "piece":
        piece = array.piece(request.GET.get("open", ""))
        if piece is None:
            raise Http404("The request has no such block.")
        return "sessions/context/_piece.html", {"piece": piece, "whole": True, "query": query}
    numbers = [query_number(request, name) for name in ("first", "end", "from")]
    if part == "message" and numbers[2] is not None and numbers[2] < len(array):
        return MESSAGES, {"items": [array.whole(numbers[2])]}
    if part == "messages" and None not in numbers:
        first, end, start = (number or 0 for number in numbers)
        return MESSAGES, {"items": array.fill(first, end, start)}
    return None


def _bars(sizes: Sizes, request: Request | None) -> dict[str, TokenBar | None]:
    """Two bars of one scale, to compare; if they are short, also an enlarged one."""
    limit = max(sizes.window.tokens, sizes.total)
    parts = [(share.category.value, share.label, share.tokens or 0) for share in sizes.shares]
    parts.append(("unseen", "not recorded", sizes.unrecorded))
    usage = None
    if request is not None:
        written = request.cache_write_5m + request.cache_write_1h
        counts = [("read", "cache read", request.cache_read), ("written", "cache write", written)]
        usage = token_bar([*counts, ("fresh", "fresh", request.input)], limit=limit, threshold=sizes.threshold)
    return {
        "bar": token_bar(parts, limit=limit, threshold=sizes.threshold),
        "zoom": token_bar(parts) if sizes.total < limit * ZOOM_BELOW else None,
        "usage": usage,
    }


def _ruler(view: Viewpoint) -> dict[str, Any]:
    """The context size over the session; each strip links to the nearest request."""
    transcript, steps = view.transcript, view.steps
    drawn = build_ruler(transcript.ruler, transcript.entries, view.point.position)
    strips = tuple((strip, steps.nearest(strip.position)) for strip in drawn.strips) if drawn and len(steps) else ()
    return {"ruler": drawn, "strips": strips}
