from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.startup.home import prepare_home
from memory.models import Directory
from tests.asking import NOBODY, SMALL, asking
from tests.inspector.agents.server import MessagesServer, Say
from tests.memory.recall.engine.shelves import topic
from tests.memory.recall.recalls import Harbour
from tests.pages import fetch

pytestmark = pytest.mark.django_db
working = pytest.mark.django_db(transaction=True)
"""A run writes from a thread of its own."""

HTMX = {"HX-Request": "true", "HX-Target": "recalled"}


@pytest.fixture(autouse=True)
def nobody() -> Iterator[None]:
    prepare_home(settings.LUCID_HOME)
    with override_settings(MODELS=NOBODY):
        yield


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with asking() as server:
        yield server


@pytest.fixture
def harbour(tmp_path: Path) -> Harbour:
    harbour = Harbour(tmp_path)
    harbour.read()
    return harbour


def page_text(client: Client, address: str, **headers: str) -> str:
    return fetch(client, address, **headers)


def test_a_typed_message_shows_every_step_without_a_model(client: Client, harbour: Harbour) -> None:
    page = page_text(client, f"{harbour.page}?message=When+do+the+tides+come")

    assert "local ranker, no model asked" in page
    assert "“tides” (name, description)" in page
    assert "&lt;system-reminder&gt; Memory " in page
    assert "saved today:" in page
    assert "High water at noon." in page
    assert "3 of 3 memories" in page
    assert "- fog.md (feedback, saved today): Where the fog lies" in page
    assert " of 60,000 bytes" in page
    assert "No model can be asked." in page


def test_htmx_gets_the_steps_alone(client: Client, harbour: Harbour) -> None:
    part = page_text(client, f"{harbour.page}?message=When+do+the+tides+come", **HTMX)

    assert part.strip().startswith('<div id="recalled"')
    assert "<textarea" not in part


def test_a_message_of_a_session_tells_what_it_had_by_then(client: Client, harbour: Harbour) -> None:
    second = page_text(client, harbour.of(harbour.second))
    assert "injected before, <a href=" in second
    assert "read before, <a href=" in second
    assert "700 B injected before" in second

    third = page_text(client, harbour.of(harbour.third))
    assert "The session had none of them yet." in third
    assert "the compaction at entry" in third


def test_a_message_of_one_word_says_why_nothing_is_recalled(client: Client, harbour: Harbour) -> None:
    assert "A message of one word says too little" in page_text(client, harbour.of(harbour.word))


def test_the_page_of_a_message_leads_to_the_bench_if_there_is_a_memory(client: Client, harbour: Harbour) -> None:
    entry = f"/sessions/{harbour.file.session}/entries/{harbour.second}/"
    assert f'href="{escape(harbour.of(harbour.second))}"' in page_text(client, entry)

    Directory.objects.update(project=None)
    assert "recall/" not in page_text(client, entry)


def test_an_answer_of_the_agent_leads_to_no_bench(client: Client, harbour: Harbour) -> None:
    answer = f"/sessions/{harbour.file.session}/entries/L2/"
    assert "recall/" not in page_text(client, answer)
    assert client.get(harbour.of("L2")).status_code == 404


@working
def test_the_price_is_shown_before_a_model_is_asked_and_its_choice_afterwards(
    client: Client, harbour: Harbour, server: MessagesServer
) -> None:
    server.answer(Say('["fog.md"]'))
    address = f"{harbour.page}?message=When+do+the+tides+come"
    before = page_text(client, address)
    assert f"Ask {SMALL}" in before
    assert "tokens, " in before
    assert "go to 127.0.0.1" in before
    assert server.requests == []

    response = client.post(harbour.page, {"message": "When do the tides come"})
    assert response.status_code == 303
    waiting = page_text(client, response.headers["Location"])
    assert 'hx-trigger="every 1s"' in waiting
    run_execute(run_id=Run.objects.get().pk)

    after = page_text(client, response.headers["Location"])
    assert "named by claude-haiku-5-5" in after
    assert "In the bay." in after
    assert "local ranker, no model asked" not in after
    assert 'hx-trigger="every 1s"' not in after


def test_nothing_is_asked_without_a_model_or_beyond_the_budget(client: Client, harbour: Harbour) -> None:
    assert client.post(harbour.page, {"message": "When do the tides come"}).status_code == 409


def test_what_files_and_messages_hold_is_escaped_and_masked(client: Client, harbour: Harbour) -> None:
    token = "ghp_" + "EXAMPLEexampleEXAMPLEexampleEXAMPLE0"
    harbour.put("<b>sly.md", topic("<script>tides</script> come", f"</pre><script>1</script> {token}"))

    page = page_text(client, f"{harbour.page}?message=When+do+the+tides+come")

    assert "<script>tides" not in page
    assert "<b>sly.md" not in page
    assert "&lt;/pre&gt;&lt;script&gt;1" in page
    assert token not in page


def test_a_directory_that_is_gone_is_told(client: Client, harbour: Harbour) -> None:
    harbour.shelf.path.rename(harbour.shelf.path.with_name("moved"))

    response = client.get(f"{harbour.page}?message=When+do+the+tides+come")
    assert (response.status_code, "is gone" in response.content.decode()) == (409, True)
    assert client.get("/memory/999/recall/").status_code == 404
    assert client.get(f"{harbour.page}?run=7").status_code == 404


def test_the_queries_do_not_grow_with_the_files(client: Client, harbour: Harbour) -> None:
    address = harbour.of(harbour.third)
    with CaptureQueriesContext(connection) as few:
        page_text(client, address)
    for number in range(300):
        harbour.put(f"m{number}.md", topic(f"Number {number}"))
    with CaptureQueriesContext(connection) as many:
        page = page_text(client, address)

    assert len(many) == len(few) <= 20
    assert "103 older ones are never looked at" in page


@working
def test_all_messages_are_replayed_from_the_page(client: Client, harbour: Harbour) -> None:
    address = f"{harbour.page}evaluation/"
    assert "Nobody has replayed" in page_text(client, address)
    assert client.post(address).status_code == 303
    assert 'hx-trigger="every 1s"' in page_text(client, address)
    run_execute(run_id=Run.objects.get().pk)

    page = page_text(client, address)

    assert "Rename the package entirely." in page
    assert f'<li class="mono"><a class="plain" href="/memory/{harbour.shelf.directory.pk}/file/?name=fog.md"' in page
    assert "5 messages of 1 session" in page
