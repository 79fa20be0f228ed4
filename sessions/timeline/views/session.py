"""The timeline of a session, one window at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import query_number
from inspector.web.sized_cache import SizedCache
from sessions.context.selectors.contexts import load_left_out_among
from sessions.context.selectors.viewpoint import Viewpoint, find_viewpoint
from sessions.models import Transcript, Turn
from sessions.secrets.engine import mask
from sessions.timeline.engine.cards import Card, build_cards
from sessions.timeline.engine.cards.adjustments.anchors import anchor_position
from sessions.timeline.engine.cards.adjustments.visibility import mark_visibility
from sessions.timeline.engine.cards.page_bytes import frames_bytes, text_bytes
from sessions.timeline.engine.ruler import build_ruler
from sessions.timeline.selectors.linked_files import remove_dead_links
from sessions.timeline.selectors.window import Window, window_at, window_from, window_last, window_until
from sessions.transcripts.selectors.session import session_head

_windows: SizedCache[tuple[Card, ...]] = SizedCache(
    2_000_000, lambda cards: frames_bytes(cards) + sum(map(text_bytes, cards))
)
"""Limited by the bytes that the cards take on a page."""


@dataclass(frozen=True, slots=True)
class TurnGroup:
    """Cards of one turn. `heading`: the line of the turn is shown above them."""

    number: int
    turn: Turn | None
    cards: tuple[Card, ...]
    heading: bool
    begins: bool


@require_safe
def transcript_detail(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    everything = request.GET.get("all") == "1"
    window, parameter = _window(request, head.transcript, everything=everything)
    fragment = request.GET.get("part") == "rows" and bool(request.htmx)
    chosen = _chosen_viewpoint(request, head.transcript)
    cards = _cards_of(request, head.transcript, window, chosen)
    first = window.rows[0].position if window.rows else 0
    return render_page(
        request,
        f"sessions/timeline/session.html{'#rows' if fragment else ''}",
        {
            "section": "sessions",
            "tab": "timeline",
            "head": head,
            "session": head.transcript,
            "ruler": build_ruler(head.transcript.ruler, head.transcript.entries, first),
            "window": window,
            "groups": group_by_turn(cards, window.turns, joins=fragment and parameter == "from"),
            "everything": everything,
            "chosen": chosen,
            "more": _shared_query(everything=everything, chosen=chosen),
            "above": window.earlier is not None and not (fragment and parameter == "from"),
            "below": not (fragment and parameter == "before"),
        },
    )


def _window(request: HtmxRequest, transcript: Transcript, *, everything: bool) -> tuple[Window, str]:
    """The window for the query, and the parameter that chose it. Positions outside the session mean the nearest one."""
    if request.GET.get("at") == "end":
        return window_last(transcript, everything=everything), "at"
    last = max(0, transcript.entries - 1)
    for name, build_window, most in (
        ("before", window_until, last + 1),
        ("from", window_from, last),
        ("at", window_at, last),
    ):
        position = query_number(request, name)
        if position is not None and (name, position) != ("before", 0):
            return build_window(transcript, min(position, most), everything=everything), name
    return window_from(transcript, 0, everything=everything), ""


def _chosen_viewpoint(request: HtmxRequest, transcript: Transcript) -> Viewpoint | None:
    """The request, or the point after an entry, from which to view the timeline, if the query names one."""
    request_id, after = request.GET.get("context", ""), request.GET.get("after", "")
    if not request_id and not after:
        return None
    chosen = find_viewpoint(transcript, request=request_id, after=after)
    if chosen.transcript.pk != transcript.pk:
        raise Http404("The point that is to be looked from is in the transcript of a sub-agent.")
    return chosen


def _cards_of(request: HtmxRequest, transcript: Transcript, window: Window, chosen: Viewpoint | None) -> list[Card]:
    cards = _build_cards(window)
    cards = remove_dead_links(transcript, cards)
    if chosen is not None:
        cards = _mark_for_viewpoint(chosen, cards)
    place = query_number(request, "at")
    return cards if place is None else anchor_position(cards, place)


def _build_cards(window: Window) -> list[Card]:
    at_end = window.later is None

    def build() -> tuple[Card, ...]:
        return tuple(build_cards(window.rows, window.results, mask=mask, at_end=at_end, sizes=window.sizes))

    return list(build() if window.digest is None else _windows.get((window.digest, at_end), build))


def _mark_for_viewpoint(chosen: Viewpoint, cards: list[Card]) -> list[Card]:
    """The cards as the model saw them at the chosen point."""
    positions = {row for card in cards for row in card.rows} | {chip.position for card in cards for chip in card.chips}
    sent = chosen.context()
    return mark_visibility(cards, load_left_out_among(chosen.transcript, sent, positions), sent.position)


def _shared_query(*, everything: bool, chosen: Viewpoint | None) -> str:
    """The part of the query that all links of the timeline share."""
    return ("&all=1" if everything else "") + (f"&{chosen.as_context}" if chosen else "")


def group_by_turn(cards: Sequence[Card], turns: dict[int, Turn], *, joins: bool) -> list[TurnGroup]:
    """The cards by turn. `joins`: they are added below other cards, where a continued turn already has its heading."""
    groups: list[tuple[int, list[Card]]] = []
    for card in cards:
        if not groups or groups[-1][0] != card.turn:
            groups.append((card.turn, []))
        groups[-1][1].append(card)
    turn_groups = []
    for number, (turn_number, members) in enumerate(groups):
        turn = turns.get(turn_number)
        # The first record of a turn may have no card; then the next one begins the turn.
        tolerance = 0 if joins and number == 0 else 1
        begins = turn is not None and members[0].position <= turn.first + tolerance
        heading = turn is not None and turn_number > 0 and (begins or (number == 0 and not joins))
        turn_groups.append(TurnGroup(turn_number, turn, tuple(members), heading, begins))
    return turn_groups
