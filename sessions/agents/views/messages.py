"""The sequence diagram of messages between agents, on the Agents page and on a page of its own."""

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
from sessions.agents.engine import Lane, RecordPosition, draw_sequence
from sessions.agents.engine.sequence_diagram import Arrow
from sessions.agents.selectors.mail import Correspondence, load_correspondence
from sessions.agents.selectors.tree import Agent
from sessions.secrets.engine import mask
from sessions.text.engine.excerpt import cut
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
    correspondence = load_correspondence(head.transcript, now)
    page = page_of(page_number(request), size=PER_PAGE, total=len(correspondence.mails))
    diagram = draw_sequence(correspondence.mails[page.start : page.stop], list(correspondence.agents), page.first)
    root = session_root(head.transcript)
    people = {lane.key: _person(lane, correspondence.agents) for lane in diagram.lanes}
    values = {
        "section": "sessions",
        "tab": "agents",
        "head": head,
        "session": head.transcript,
        "root": root,
        "correspondence": correspondence,
        "diagram": diagram,
        "lanes": [(lane, people[lane.key]) for lane in diagram.lanes],
        "messages": [_message(arrow, people, correspondence, root) for arrow in diagram.arrows],
        "page": page,
        "damage": list(correspondence.damage.items()),
    }
    return render_page(request, "sessions/agents/agent_messages.html", values, partials=("agent-messages",))


def _person(lane: Lane, agents: Mapping[str, Agent]) -> dict[str, str]:
    if (agent := agents.get(lane.key)) is not None:
        return {"name": spell_invisible(agent.name), "note": spell_invisible(mask(agent.type))}
    if lane.has_transcript:
        return {"name": "The session", "note": ""}
    if lane.name:
        return {"name": spell_invisible(mask(lane.name[:NAME])), "note": "no transcript here"}
    return {"name": "", "note": "nobody says who"}


def _message(
    arrow: Arrow, people: Mapping[str, dict[str, str]], correspondence: Correspondence, root: str
) -> dict[str, Any]:
    mail = arrow.mail
    everyone = {"name": "everyone", "note": ""}
    topic = _first_words(mail.topic.replace("_", " "), TOPIC) if mail.topic != "completed" else ""
    return {
        "arrow": arrow,
        "mail": mail,
        "href": _address(mail.spot, correspondence, root),
        "sent": mail.sent and _address(mail.sent, correspondence, root),
        "received": mail.received and _address(mail.received, correspondence, root),
        "sender": people.get(mail.sender, everyone),
        "recipient": people.get(mail.recipient, everyone),
        "topic": topic,
        "label": _first_words(mail.words, max(8, arrow.room - len(mail.kind.value) - len(topic))),
        "words": _first_words(mail.words, LONG),
    }


def _address(spot: RecordPosition, correspondence: Correspondence, root: str) -> str:
    """The entry among its neighbours."""
    agent = correspondence.agents.get(spot.owner)
    start = session_root(agent.transcript) if agent is not None else root
    return f"{start}?at={spot.position}#e{spot.position}"


def _first_words(words: str, room: int) -> str:
    """The first words on one line; secrets are masked before the text is cut."""
    return cut(spell_invisible(" ".join(mask(words).split())), room)
