"""The timeline of a session, one window at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.kept import Kept
from inspector.web.query import query_number
from sessions.context.selectors.contexts import load_left_out_among
from sessions.context.selectors.viewpoint import Viewpoint, find_viewpoint
from sessions.models import Transcript, Turn
from sessions.secrets.engine import mask
from sessions.timeline.engine.cards import Card, build
from sessions.timeline.engine.cards.arrival import with_arrival
from sessions.timeline.engine.cards.size import frames, texts
from sessions.timeline.engine.cards.viewpoint_filter import seen_from
from sessions.timeline.engine.ruler import ruler
from sessions.timeline.selectors.linked_files import with_what_is_here
from sessions.timeline.selectors.window import (
    Window,
    window_at,
    window_from,
    window_last,
    window_until,
)
from sessions.transcripts.selectors.session import session_head

_windows: Kept[tuple[Card, ...]] = Kept(2_000_000, lambda cards: frames(cards) + sum(map(texts, cards)))
"""Bytes that they come to on a page."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cards of one turn. `heading` says whether the turn's own line stands above them."""

    number: int
    turn: Turn | None
    cards: tuple[Card, ...]
    heading: bool
    begins: bool


@require_safe
def transcript_detail(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    everything = request.GET.get("all") == "1"
    window, asked = _window(request, head.transcript, everything=everything)
    fragment = request.GET.get("part") == "rows" and bool(request.htmx)
    chosen = _chosen(request, head.transcript)
    cards = _cards(request, head.transcript, window, chosen)
    first = window.rows[0].position if window.rows else 0
    return render_page(
        request,
        f"transcripts/session.html{'#rows' if fragment else ''}",
        {
            "section": "sessions",
            "tab": "timeline",
            "head": head,
            "session": head.transcript,
            "ruler": ruler(head.transcript.ruler, head.transcript.entries, first),
            "window": window,
            "stretches": stretches_of(cards, window.turns, joins=fragment and asked == "from"),
            "everything": everything,
            "chosen": chosen,
            "more": _more(everything=everything, chosen=chosen),
            "above": window.earlier is not None and not (fragment and asked == "from"),
            "below": not (fragment and asked == "before"),
        },
    )


def _window(request: HtmxRequest, transcript: Transcript, *, everything: bool) -> tuple[Window, str]:
    """The window that the address asks for, and by which of its parameters. Places outside mean the nearest inside."""
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


def _chosen(request: HtmxRequest, transcript: Transcript) -> Viewpoint | None:
    """The request, or the place after an entry, that the timeline is to be looked at from, if one is named."""
    asked, after = request.GET.get("context", ""), request.GET.get("after", "")
    if not asked and not after:
        return None
    chosen = find_viewpoint(transcript, request=asked, after=after)
    if chosen.transcript.pk != transcript.pk:
        raise Http404("The point that is to be looked from is in the transcript of a sub-agent.")
    return chosen


def _cards(request: HtmxRequest, transcript: Transcript, window: Window, chosen: Viewpoint | None) -> list[Card]:
    cards = _drawn(window)
    cards = with_what_is_here(transcript, cards)
    if chosen is not None:
        cards = _seen(chosen, cards)
    place = query_number(request, "at")
    return cards if place is None else with_arrival(cards, place)


def _drawn(window: Window) -> list[Card]:
    at_end = window.later is None

    def draw() -> tuple[Card, ...]:
        return tuple(build(window.rows, window.results, mask=mask, at_end=at_end))

    return list(draw() if window.digest is None else _windows.get((window.digest, at_end), draw))


def _seen(chosen: Viewpoint, cards: list[Card]) -> list[Card]:
    """The cards as the model saw them at the chosen point."""
    positions = {row for card in cards for row in card.rows} | {chip.position for card in cards for chip in card.chips}
    sent = chosen.context()
    return seen_from(cards, load_left_out_among(chosen.transcript, sent, positions), sent.position)


def _more(*, everything: bool, chosen: Viewpoint | None) -> str:
    """What every address of the timeline carries on."""
    return ("&all=1" if everything else "") + (f"&{chosen.as_context}" if chosen else "")


def stretches_of(cards: Sequence[Card], turns: dict[int, Turn], *, joins: bool) -> list[Stretch]:
    """The cards by turn. `joins`: they come in below others, where a turn that goes on has its heading already."""
    groups: list[tuple[int, list[Card]]] = []
    for card in cards:
        if not groups or groups[-1][0] != card.turn:
            groups.append((card.turn, []))
        groups[-1][1].append(card)
    stretches = []
    for number, (turn_number, members) in enumerate(groups):
        turn = turns.get(turn_number)
        # The record that begins a turn may have no card; the one after it stands for it then.
        tolerance = 0 if joins and number == 0 else 1
        begins = turn is not None and members[0].position <= turn.first + tolerance
        heading = turn is not None and turn_number > 0 and (begins or (number == 0 and not joins))
        stretches.append(Stretch(turn_number, turn, tuple(members), heading, begins))
    return stretches
