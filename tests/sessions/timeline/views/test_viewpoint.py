"""A session as the model saw it at a request or after an entry."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.sessions.timeline.views.session_pages import long, page
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def test_looked_at_from_a_request_every_card_says_whether_the_model_saw_it(client: Client, file: Written) -> None:
    file.turns(2)
    file.compacts("This session is being continued from a previous conversation: they looked.")
    file.turns(2)
    transcript = file.read()
    requests = list(transcript.request_set.order_by("position"))
    early = page(client, transcript, f"?context={requests[1].message_id}")
    assert "As the model saw it at" in early
    assert f'context/?request={requests[1].message_id}">request 2 of 8</a>' in early
    assert re.search(r'<article class="card user seen" id="e0">', early)
    assert "● in context" in early
    assert "in summary" not in early
    assert re.search(r'<article class="card assistant ahead" id="e3">', early)
    late = page(client, transcript, f"?context={requests[-1].message_id}")
    assert re.search(r'<article class="card user summarised" id="e0">', late)
    assert re.search(r'<section class="card bar compacted bar seen" id="e8">', late)
    assert "hx-get" not in late.split('id="tail"')[1].split(">")[0]


def test_it_can_be_looked_at_from_the_place_after_an_entry(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    entry = str(file.records[4]["uuid"])
    html = page(client, transcript, f"?after={entry}")
    assert f'<a href="/sessions/{transcript.public_id}/context/?at={entry}">would see it</a> right after' in html
    assert re.search(r'<article class="card user seen" id="e4">', html)
    assert re.search(r'<article class="card tool ahead" id="e5">', html)
    assert f'href="?at=end&amp;after={entry}#tail"' in html
    response = client.get(f"/sessions/{transcript.public_id}/?after=nobody")
    assert response.status_code == 404
    assert "The session has no entry nobody." in response.content.decode()


def test_the_request_that_one_looks_from_goes_along(client: Client, file: Written) -> None:
    transcript = long(file)
    message = transcript.request_set.order_by("position")[700].message_id
    for query in (f"?context={message}", f"?context={message}&at=1500", f"?context={message}&at=end&all=1"):
        with CaptureQueriesContext(connection) as queries:
            text = page(client, transcript, query)
        assert len(queries) <= 20, query
        assert len(text.encode()) <= 150_000, query
        links = re.findall(r'<a [^>]*href="\?(?:at|from|before)=[^"]*"', text)
        assert len(links) > 80
        assert [link for link in links if message not in link and "As it is now" not in link][1:] == []


def test_an_unknown_request_to_look_from_says_so(client: Client, file: Written) -> None:
    file.turns(1)
    response = client.get(f"/sessions/{file.read().public_id}/?context=msg_nobody")
    assert response.status_code == 404
    assert "No request of this session was answered by msg_nobody." in response.content.decode()


def test_an_answer_leads_to_the_context_of_its_request(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    message = transcript.request_set.order_by("position")[1].message_id
    html = page(client, transcript)
    assert f'href="/sessions/{transcript.public_id}/context/?request={message}"' in html
    entry = page(client, transcript, "entries/L3/")
    assert "context/?at=L3" in entry
    assert f"context/?request={message}" in entry
