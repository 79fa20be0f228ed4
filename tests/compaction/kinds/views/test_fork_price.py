"""What the confirmation of a summary says of the prompt cache, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from inspector.agents.choosing import ModelSettings
from inspector.web.clock import now_ms
from tests.compaction.logged import Logged
from tests.inspector.agents.server import MessagesServer, messages_server
from tests.pages import flowing
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: Settings) -> Iterator[MessagesServer]:
    with messages_server() as state:
        settings.MODELS = ModelSettings(api_key=state.key, base_url=state.url, main=MODEL, claude="off")
        yield state


def confirmation(client: Client, folder: Path, kind: str, *, minutes_ago: int) -> str:
    """Of a session that asked so long ago."""
    file = Logged(project=folder / "projects" / "-home-dev-tidewatch", clock=now_ms() - minutes_ago * 60_000).talk()
    transcript = file.read()
    pivot = next(record["uuid"] for record in file.records if "And tomorrow" in str(record.get("message")))
    fields = {"kind": kind, "pivot": pivot, "writer": "configured"}
    response = client.post(f"/sessions/{transcript.public_id}/compact/", fields)
    assert response.status_code == 200
    return unescape(flowing(response.content.decode()))


def test_up_to_a_message_the_request_is_a_cache_hit_and_its_price_says_so(
    client: Client, server: MessagesServer, tmp_path: Path
) -> None:
    html = confirmation(client, tmp_path, "partial-up-to", minutes_ago=1)
    assert "it is a cache hit although what follows is left out" in html
    assert "what it sent is cached for another" in html
    assert "what is sent then costs <b>~$" in html
    assert not server.requests


def test_after_the_lifetime_nothing_is_said_to_be_cached(
    client: Client, server: MessagesServer, tmp_path: Path
) -> None:
    html = confirmation(client, tmp_path, "full", minutes_ago=6)
    assert "The request is the session's own and one message more" in html
    assert "what it wrote lived five minutes: nothing is cached" in html
