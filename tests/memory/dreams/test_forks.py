"""A dream as a fork of the latest session, while what that sent is still cached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.web.clock import now_ms
from memory.dreams.services.runs import dream_create
from sessions.imports.services.sync import sync
from sessions.models import Capture
from tests.compaction.cache.cached_session import Cached
from tests.compaction.cache.engine.request_bodies import OPUS, SYSTEM
from tests.inspector.agents.server import Call, Fail, MessagesServer, Say
from tests.memory.remembering import Shelf
from tests.pages import flowing
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db(transaction=True)
DONE = 'Done.\n```json\n{"files": {}}\n```'
MINUTE = 60_000


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "projects" / "-home-dev-tidewatch" / "memory")
    shelf.outside("MEMORY.md", b"- [Tides](tides.md)\n")
    shelf.outside("tides.md", b"---\nname: tides\ndescription: when\ntype: user\n---\n\nHigh water was yesterday.\n")
    return shelf


def talked(shelf: Shelf, *, minutes_ago: int) -> Cached:
    """The session that uses the memory asked last so long ago."""
    talk = Cached(project=shelf.path.parent, clock=now_ms() - minutes_ago * MINUTE).warm()
    talk.save(shelf.path.parent, talk.path.stem)
    sync([shelf.path.parents[2]], workers=1)
    return talk


def dreamed(shelf: Shelf, **options: Any) -> Run:
    run = dream_create(directory=shelf.directory, model=MODEL, **options)
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert run.error == ""
    return run


def test_it_goes_on_from_the_latest_session_and_works_on_the_copy(server: MessagesServer, shelf: Shelf) -> None:
    talk = talked(shelf, minutes_ago=1)

    def edit(request: Any) -> Say:
        copy = str(request.json["messages"][-1]["content"][-1]["text"]).partition("memory directory is ")[2].split()[0]
        path = f"{copy.rstrip('.')}/tides.md"
        return Say(calls=[Call("Edit", {"file_path": path, "old_string": "yesterday", "new_string": "at noon"})])

    server.answer(edit, Say(DONE, usage={"input_tokens": 5, "cache_read_input_tokens": 50_500, "output_tokens": 5}))
    run = dreamed(shelf)
    first = server.requests[0].json
    assert first["model"] == OPUS
    assert [block["text"] for block in first["system"]] == list(SYSTEM)
    assert len(first["messages"]) == len(talk.sent) + 1
    assert "put that aside" in first["messages"][-1]["content"][-1]["text"]
    assert Capture.objects.filter(run_id=run.pk).exclude(parent_message="").exists()
    assert run.result["proposal"] is not None
    assert run.result["prompt_cache"].startswith("The dream goes on from the session")
    assert "50.5k of its" in run.result["prompt_cache"]


def test_a_fork_that_is_refused_is_followed_by_a_dream_of_its_own(server: MessagesServer, shelf: Shelf) -> None:
    talked(shelf, minutes_ago=1)
    server.answer(Fail(400, "tools: too many"), Say(DONE))
    run = dreamed(shelf)
    assert [request.json["model"] for request in server.requests] == [OPUS, MODEL]
    assert run.result["prompt_cache"].startswith("The fork was refused")


@pytest.mark.parametrize(("minutes", "forks", "why"), [(6, True, "nothing is cached"), (1, False, "by itself")])
def test_a_cold_session_and_whoever_wants_it_so_dream_alone(
    server: MessagesServer, shelf: Shelf, minutes: int, forks: bool, why: str
) -> None:
    talked(shelf, minutes_ago=minutes)
    server.answer(Say(DONE))
    run = dreamed(shelf, forks=forks)
    assert [request.json["model"] for request in server.requests] == [MODEL]
    assert why in run.result["prompt_cache"]


def test_the_confirmation_says_what_the_session_adds_to_the_price(
    client: Client, server: MessagesServer, shelf: Shelf
) -> None:
    talked(shelf, minutes_ago=1)
    address = f"/dreams/{shelf.directory.pk}/"
    html = flowing(client.post(address, {"dream": "1"}).content.decode())
    assert "The dream goes on from the session" in html
    assert "each turn reads 50.5k tokens more from the cache" in html
    assert "Dream without the session" in html
    confirmed = html.partition('name="confirmed" value="')[2].partition('"')[0]
    client.post(address, {"dream": "1", "confirmed": confirmed, "alone": "1"})
    assert Run.objects.get().parameters["forks"] is False
