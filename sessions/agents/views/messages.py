"""Messages between agents as a picture: loaded into the Agents page, and a page of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from sessions.agents.engine import Lane, Spot, sequence
from sessions.agents.engine.sequence import Arrow
from sessions.agents.selectors.mail import Exchange, exchange_of
from sessions.agents.selectors.tree import Agent
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.transcripts.selectors.session import session_head

PER_PAGE = 150
NAME, TOPIC, LONG = 60, 24, 200


@require_safe
def agent_messages(request: HtmxRequest, session: str) -> HttpResponse:
    now = now_ms()
    head = session_head(session, now)
    if head.transcript.parent is not None:
        return HttpResponseRedirect(reverse("agent-messages", args=[head.transcript.parent.public_id]))
    exchange = exchange_of(head.transcript, now)
    page = page_of(page_number(request), size=PER_PAGE, total=len(exchange.mails))
    drawn = sequence(exchange.mails[page.start : page.stop], list(exchange.agents), page.first)
    root = session_root(head.transcript)
    people = {lane.key: _person(lane, exchange.agents) for lane in drawn.lanes}
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": head.transcript,
        "root": root,
        "exchange": exchange,
        "drawn": drawn,
        "lanes": [(lane, people[lane.key]) for lane in drawn.lanes],
        "messages": [_message(arrow, people, exchange, root) for arrow in drawn.arrows],
        "page": page,
        "damage": list(exchange.damage.items()),
    }
    return render_page(request, "transcripts/agent_messages.html", values, partials=("agent-messages",))


def _person(lane: Lane, agents: Mapping[str, Agent]) -> dict[str, str]:
    if (agent := agents.get(lane.key)) is not None:
        return {"name": spell_invisible(agent.name), "note": spell_invisible(mask(agent.type))}
    if lane.known:
        return {"name": "The session", "note": ""}
    if lane.name:
        return {"name": spell_invisible(mask(lane.name[:NAME])), "note": "no transcript here"}
    return {"name": "", "note": "nobody says who"}


def _message(arrow: Arrow, people: Mapping[str, dict[str, str]], exchange: Exchange, root: str) -> dict[str, Any]:
    mail = arrow.mail
    everyone = {"name": "everyone", "note": ""}
    topic = _first(mail.topic.replace("_", " "), TOPIC) if mail.topic != "completed" else ""
    return {
        "arrow": arrow,
        "mail": mail,
        "href": _address(mail.spot, exchange, root),
        "sent": mail.sent and _address(mail.sent, exchange, root),
        "received": mail.received and _address(mail.received, exchange, root),
        "sender": people.get(mail.sender, everyone),
        "recipient": people.get(mail.recipient, everyone),
        "topic": topic,
        "label": _first(mail.words, max(8, arrow.room - len(mail.kind.value) - len(topic))),
        "words": _first(mail.words, LONG),
    }


def _address(spot: Spot, exchange: Exchange, root: str) -> str:
    """The entry among its neighbours."""
    agent = exchange.agents.get(spot.owner)
    start = session_root(agent.transcript) if agent is not None else root
    return f"{start}?at={spot.position}#e{spot.position}"


def _first(words: str, room: int) -> str:
    """The first words on one line, secrets masked before anything is cut off."""
    line = spell_invisible(" ".join(mask(words).split()))
    return line if len(line) <= room else f"{line[: room - 1].rstrip()}…"
