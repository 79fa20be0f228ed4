"""The page of dreams: gates, price, and the buttons."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from memory.dreams.engine.lock import NAME
from tests.memory.remembering import Shelf
from tests.pages import HTMX, fetch, flowing
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db
NOBODY = ModelSettings(claude="off")
SOMEBODY = ModelSettings(api_key="test-key", base_url="http://127.0.0.1:9", main=MODEL, claude="off")


@pytest.fixture(autouse=True)
def nobody() -> Iterator[None]:
    with override_settings(MODELS=NOBODY):
        yield


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "projects" / "-home-dev-tidewatch" / "memory")
    shelf.outside("MEMORY.md", b"- [Gone](gone.md)\n")
    return shelf


def page(client: Client, **headers: str) -> str:
    return fetch(client, "/dreams/", **headers)


def test_it_shows_every_gate_of_every_directory_and_why(client: Client, shelf: Shelf) -> None:
    html = page(client)
    for name in ("enabled", "time", "scan", "sessions", "lock"):
        assert f"<b>{name}</b>" in html
    assert "0 sessions went on so far; 5 are needed." in html
    assert "It would read 1 file of memory" in html
    assert "Tidy now" in html
    assert "Dream now" not in html
    assert "set ANTHROPIC_API_KEY" in html
    assert 'aria-current="page">Dreams</a>' in html


def test_the_gates_alone_are_asked_for_again(client: Client, shelf: Shelf) -> None:
    address = f"/dreams/{shelf.directory.pk}/"
    html = client.get(address, headers=HTMX).content.decode()
    assert html.strip().startswith(f'<ul id="gates-{shelf.directory.pk}"')
    assert client.get(address)["Location"] == f"/dreams/#memory-{shelf.directory.pk}"


def test_more_directories_cost_few_queries_each(client: Client, shelf: Shelf, tmp_path: Path) -> None:
    with CaptureQueriesContext(connection) as queries:
        page(client)
    Shelf(tmp_path / "projects" / "-home-dev-other" / "memory")
    with CaptureQueriesContext(connection) as two:
        page(client)
    assert len(two) - len(queries) <= 2
    assert len(two) <= 8


def test_tidy_starts_at_once(client: Client, shelf: Shelf) -> None:
    response = client.post(f"/dreams/{shelf.directory.pk}/", {"tidy": "1"})
    run = Run.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/runs/{run.pk}/")
    assert (run.kind, run.parameters) == ("tidy", {"directory": shelf.directory.pk, "model": ""})


def test_a_dream_shows_its_price_before_anything_is_sent(client: Client, shelf: Shelf) -> None:
    with override_settings(MODELS=SOMEBODY):
        assert "if it uses all of its tokens. A tidy costs nothing." in page(client)
        request = flowing(client.post(f"/dreams/{shelf.directory.pk}/", {"dream": "1"}).content.decode())
        assert "Nothing has been sent yet." in request
        assert "if it uses all of its tokens" in request
        assert "127.0.0.1: memory and what is found" in request
        assert not Run.objects.exists()
        response = client.post(f"/dreams/{shelf.directory.pk}/", {"dream": "1", "confirmed": MODEL})
    assert response.status_code == 303
    assert (Run.objects.get().kind, Run.objects.get().parameters["model"]) == ("dream", MODEL)


def test_nothing_starts_beside_another_or_beyond_the_budget_or_without_a_model(client: Client, shelf: Shelf) -> None:
    address = f"/dreams/{shelf.directory.pk}/"
    refused = client.post(address, {"dream": "1"})
    assert (refused.status_code, b"needs a model" in refused.content) == (409, True)
    with override_settings(MODELS=replace(SOMEBODY, monthly_budget=0.0)):
        refused = client.post(address, {"dream": "1", "confirmed": MODEL})
        assert (refused.status_code, b"budget is used up" in refused.content) == (409, True)
    (shelf.path / NAME).write_text(str(os.getpid()))
    refused = client.post(address, {"tidy": "1"})
    assert (refused.status_code, b"holds the lock" in refused.content) == (409, True)
    assert not Run.objects.exists()


def test_a_dream_is_not_retried_without_its_price(client: Client, shelf: Shelf) -> None:
    parameters = {"directory": shelf.directory.pk, "model": MODEL}
    run = Run.objects.create(kind="dream", parameters=parameters, status="failed", created_at=1, finished_at=2)
    response = client.post(f"/runs/{run.pk}/retry/")
    assert (response.status_code, response["Location"]) == (303, f"/dreams/#memory-{shelf.directory.pk}")


def test_a_lock_that_cannot_be_read_is_said(client: Client, shelf: Shelf) -> None:
    (shelf.path / NAME).symlink_to(shelf.path / "MEMORY.md")
    assert "The lock cannot be read" in page(client)


def test_without_memory_it_says_so(client: Client) -> None:
    assert "No memory was found" in page(client)
