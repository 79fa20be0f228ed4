"""One thing has one size, on every page and in every command: over the demo."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from sessions.catalog.selectors.attention import load_totals
from sessions.catalog.selectors.facets import project_tree
from sessions.catalog.selectors.sessions import current_sessions, session_lines
from sessions.context.engine.presentation.messages import MessageArray
from sessions.context.selectors.viewpoint import find_viewpoint
from sessions.models import Transcript
from sessions.requests.selectors.prompt import anatomy_at
from sessions.secrets.engine import mask
from sessions.timeline.selectors.entries import find_entry
from sessions.weights.selectors import transcripts_to_weigh
from sessions.weights.services.weighing import transcript_weigh
from tests.demo import names
from tests.importing import imported
from tests.pages import fetch
from tests.size_walk import SizeWalk, document

pytestmark = pytest.mark.django_db
KINDS = {"full": (), "microcompact": ("--set", "mode=cached", "--set", "trigger=2", "--set", "keep=1"), "auto": ()}


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR):
        yield


def weigh_all() -> None:
    for pk in transcripts_to_weigh():
        transcript_weigh(transcript=Transcript.objects.get(pk=pk))


def test_one_thing_has_one_size_wherever_it_appears(client: Client) -> None:
    weigh_all()
    walk = SizeWalk(client)
    for transcript in Transcript.objects.filter(requests__gt=0):
        walk.transcript(transcript)
    for session in current_sessions():
        walk.session(session)
    walk.lists()
    assert walk.contradictions == {}
    several = [thing for thing, places in walk.places.items() if len(places) > 1]
    for of in ("whole prompt request", "whole prompt point", "messages only point", "message request", "spent", "peak"):
        assert any(thing.startswith(of) for thing in several), of


def test_a_session_that_was_not_measured_yet_has_one_size_on_its_pages(client: Client) -> None:
    walk = SizeWalk(client, pages_only=True)
    for name in (names.LONG, names.CLEARED):
        walk.transcript(Transcript.objects.get(public_id=name))
    assert walk.contradictions == {}
    assert all(basis != "measured" for sizes in walk.messages().values() for _, basis in sizes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_compaction_made_here_has_one_size_wherever_it_appears(client: Client, kind: str) -> None:
    weigh_all()
    walk = SizeWalk(client)
    transcript = Transcript.objects.get(public_id=names.LONG)
    walk.page(f"/sessions/{names.LONG}/context/?next=1")
    walk.compaction(transcript, kind, *KINDS[kind])
    assert walk.contradictions == {}
    assert any(thing.startswith("whole prompt after") and len(places) > 2 for thing, places in walk.places.items())


def test_system_prompt_and_tools_weigh_on_the_context_tab_what_they_weigh_in_the_request(client: Client) -> None:
    weigh_all()
    transcript = Transcript.objects.get(public_id=names.LONG)
    view = find_viewpoint(transcript, request=names.BROKE)
    sent = view.context()
    weights = view.weights(sent)
    anatomy = {section.name: section for section in anatomy_at(view, sent, weights).sections}
    system, tools = MessageArray(sent, mask, weights=weights).setup_elements()
    assert [piece.tokens for piece in system.pieces] == [part.tokens for part in anatomy["system"].parts]
    (piece,) = tools.pieces
    assert piece.tokens == round(tools.weight.tokens)
    assert abs(piece.tokens - sum(part.tokens for part in anatomy["tools"].parts)) < len(anatomy["tools"].parts)
    unfolded = fetch(client, f"/sessions/{names.LONG}/requests/{names.BROKE}/?open=system.1")
    size = f"~{anatomy['system'].parts[1].tokens}"
    assert size in unfolded.partition('id="psystem.1"')[2].partition("<header>")[2].partition("</header>")[0]


def test_messages_and_turns_are_counted_one_way(client: Client) -> None:
    transcript = Transcript.objects.get(public_id=names.LONG)
    root = f"/sessions/{names.LONG}/"
    count = len(document("context", names.LONG)["messages"])
    assert f"{count} messages:" in fetch(client, f"{root}context/?next=1")
    assert f"{count} messages become" in fetch(client, f"{root}compact/?kind=full&forecast=1")
    assert document("compact", names.LONG, "--kind", "full")["before"]["messages"] == count

    snip = fetch(client, f"{root}compact/?kind=snip")
    offered = re.findall(r">Turn (\d+)<.*?entries/([0-9a-f-]{36})/", snip)
    assert len(offered) >= 2
    for number, uuid in offered:
        entry = find_entry(transcript, uuid)[1]
        assert int(number) == entry.turn
        assert f"<b>Turn {number}</b>" in fetch(client, f"{root}?at={entry.position}")


def test_sessions_are_counted_one_way(client: Client) -> None:
    count = current_sessions().count()
    printed = document("sessions")
    assert isinstance(printed, list)
    assert len(printed) == count
    assert sum(node.sessions for node in project_tree()) == count
    assert load_totals().sessions == count
    listed = {
        line.transcript.public_id: line
        for line in session_lines(current_sessions(), sort="-last", start=0, stop=99, now=0)
    }
    assert {row["id"]: row["agents"] for row in printed} == {
        session: line.agents.count if line.agents else 0 for session, line in listed.items()
    }
