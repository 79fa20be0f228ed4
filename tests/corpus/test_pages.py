"""No page of any real session fails, every entry has its place in exactly one window, and none is too large."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.archive.selectors.records import Reader
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag
from tests.corpus.files import FILES, name
from tests.samples import each

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("report")]

LARGEST = 200_000
EVERY = 25
HTMX = {"HX-Request": "true"}
CARD = re.compile(r'class="(?:card|chips)[^"]*" id="(e[^"]+)"')


def transcript(path: Path) -> Transcript:
    return Transcript.objects.get(source__path=str(path))


def root(path: Path) -> str:
    return f"/sessions/{transcript(path).public_id}/"


def shown(path: Path) -> list[int]:
    return [entry.position for entry in entries(path) if entry.flags & Flag.SHOWN]


def entries(path: Path) -> list[Entry]:
    base = transcript(path).pk << POSITION_BITS
    return list(Entry.objects.filter(pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).order_by("pk"))


def opened(client: Client, address: str, **headers: str) -> Any:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200, address
    return answer


def windows(client: Client, address: str, link: str) -> Iterator[Any]:
    """The windows of a timeline, by the links from one to the next."""
    start = address
    while True:
        answer = opened(client, address)
        yield answer
        body = answer.content.decode()
        match = re.search(rf'<a class="{link}" href="(\?[^"]+)"', body)
        if match is None:
            return
        address = start.partition("?")[0] + match[1].replace("&amp;", "&")


@pytest.mark.parametrize("path", each(FILES, every=4), ids=name)
def test_every_entry_is_in_exactly_one_window(client: Client, path: Path) -> None:
    seen: list[int] = []
    for answer in windows(client, root(path), "later"):
        body = answer.content.decode()
        assert len(body) < LARGEST
        window = [row.position for row in answer.context["window"].rows]
        cards = [card for group in answer.context["groups"] for card in group.cards]
        drawn = {position for card in cards for position in card.rows}
        assert set(window) <= drawn
        anchors = CARD.findall(body)
        assert len(anchors) == len(set(anchors)) == len(cards)
        seen += window
    assert seen == shown(path)


@pytest.mark.parametrize("path", each(FILES, every=4), ids=name)
def test_windows_lead_back_to_the_start(client: Client, path: Path) -> None:
    back = [
        [row.position for row in answer.context["window"].rows]
        for answer in windows(client, f"{root(path)}?at=end", "earlier")
    ]
    assert [position for window in reversed(back) for position in window] == shown(path)


@pytest.mark.parametrize("path", each(FILES, every=4), ids=name)
def test_every_record_is_there_when_it_is_asked_for(client: Client, path: Path) -> None:
    middle = transcript(path).entries // 2
    answer = opened(client, f"{root(path)}?at={middle}&all=1")
    assert len(answer.content) < LARGEST
    if middle:
        assert middle in [row.position for row in answer.context["window"].rows]


@pytest.mark.parametrize("path", each(FILES, every=4), ids=name)
def test_the_other_pages_of_a_session_open(client: Client, path: Path) -> None:
    for address in (f"?at={transcript(path).entries // 2}", "?at=end", "?before=3", "find/?q=the", "live/?after=0"):
        answer = client.get(f"{root(path)}{address}", headers=HTMX if address.startswith("live") else {})
        assert answer.status_code == 200 or (answer.status_code == 204 and not transcript(path).entries), address
        assert len(answer.content) < LARGEST, address
    answer = client.get(f"{root(path)}agents/")
    assert answer.status_code == (302 if transcript(path).parent_id else 200)


def test_the_pages_about_agents_open_and_take_few_queries(client: Client) -> None:
    most = {"": 16, "messages/": 20, "prefixes/": 40, "summaries/": 24}
    families = Transcript.objects.filter(children__isnull=False).distinct()
    assert families.count() >= 5
    for session in families:
        for rest, limit in most.items():
            with CaptureQueriesContext(connection) as queries:
                answer = opened(client, f"/sessions/{session.public_id}/agents/{rest}")
            assert len(queries) <= limit, (session.public_id, rest)
            assert len(answer.content) < LARGEST


@pytest.mark.parametrize("path", each(FILES, every=4), ids=name)
def test_entries_have_their_page_their_facts_and_their_record(client: Client, path: Path) -> None:
    """A page for every 25th entry, by its uuid if it has one; facts and record for every other of them in turn."""
    result, reader = entries(path), Reader(transcript(path).source_id)
    for number, entry in enumerate([*result[::EVERY], *result[-1:]]):
        uuid = reader.record(entry.offset, entry.length).get("uuid")
        address = f"{root(path)}entries/{uuid or f'L{entry.position}'}/"
        position = opened(client, address).context["facts"].position
        assert position == entry.position or entry.flags & Flag.DUPLICATE
        if number % 2:
            assert len(opened(client, f"{address}?part=facts", **HTMX).content) < LARGEST
        else:
            assert opened(client, f"{address}raw/")["Content-Type"] == "text/plain; charset=utf-8"


def test_lists_and_search_open(client: Client) -> None:
    for address in ("/", "/sessions/", "/search/?q=the", "/search/?q=error&deep=1", "/odd/", "/retention/"):
        assert len(opened(client, address).content) < LARGEST, address
