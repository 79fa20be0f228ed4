from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.pages import fetch
from tests.sessions.made import HOSTILE, project, session

pytestmark = pytest.mark.django_db

PARTIAL = {"HX-Request": "true", "HX-Target": "palette-results"}


def results(client: Client, query: str) -> str:
    return fetch(client, f"/palette/?{urlencode({'q': query})}", **PARTIAL)


def test_without_words_it_offers_pages_and_the_latest_sessions(client: Client) -> None:
    session(title="The latest")
    html = results(client, "")
    assert 'href="/retention/"' in html
    assert "The latest" in html


def test_words_find_pages_and_sessions(client: Client) -> None:
    session(title="Fix the boiler", public_id="boiler")
    session(title="Something else", project=project("/home/dev/boilerplate"), public_id="else")
    session(title="Unrelated", project=project("/home/dev/other"), public_id="other")
    html = results(client, "boiler")
    assert "/sessions/boiler/" in html
    assert "/sessions/else/" in html
    assert "/sessions/other/" not in html
    assert 'href="/search/?q=boiler"' in html
    assert 'href="/odd/"' in results(client, "understand")


def test_a_session_is_found_by_the_beginning_of_its_id(client: Client) -> None:
    session(title="Wanted", public_id="5d1f0c3a")
    assert "Wanted" in results(client, "5d1f")
    assert "Wanted" not in results(client, "0c3a")


def test_it_is_a_page_of_its_own_without_javascript(client: Client) -> None:
    html = client.get("/palette/").content.decode()
    assert "<html" in html
    assert '<form class="toolbar">' in html


def test_hostile_words_stay_words(client: Client) -> None:
    session(title=HOSTILE)
    html = results(client, HOSTILE[:8]) + results(client, "a\0b")
    assert "<script>" not in html


def test_on_a_page_of_a_session_it_offers_what_can_be_done_with_it(client: Client) -> None:
    here = {**PARTIAL, "HX-Current-URL": "http://127.0.0.1:8765/sessions/5d1f0c3a/context/?next=1"}
    html = client.get("/palette/", {"q": "compact"}, headers=here).content.decode()
    assert 'href="/sessions/5d1f0c3a/compact/"' in html
    assert "What the model was sent" not in html
    elsewhere = {**PARTIAL, "HX-Current-URL": "http://127.0.0.1:8765/sessions/?q=a"}
    assert "This session" not in client.get("/palette/", headers=elsewhere).content.decode()
