"""Lucid's own requests, made by real runs against a server that speaks the Messages API, and what pages say of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import Client, override_settings

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.startup.home import prepare_home
from inspector.web.clock import now_ms
from sessions.archive.engine.file_prints import print_of
from sessions.capture.engine.packing import join_parts, pack_numbers
from sessions.capture.selectors.captures import load_answer, load_sent
from sessions.capture.services.captures import contents_store
from sessions.models import Capture, Request, Transcript
from tests.compaction.logged import SYSTEM, Logged
from tests.compaction.mechanisms.engine.summarising import REPLY
from tests.inspector.agents.server import Fail, MessagesServer, Say, messages_server
from tests.pages import flowing
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db(transaction=True)
CACHED = 60_000


@pytest.fixture(autouse=True)
def home() -> None:
    prepare_home(settings.LUCID_HOME)


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as state:
        models = ModelSettings(api_key=state.key, base_url=state.url, main=MODEL, claude="off", first_pause=0.001)
        with override_settings(MODELS=models):
            yield state


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    """Its last request left much in the cache, a moment ago."""
    result = Logged(project=tmp_path / "projects" / "-home-dev-tidewatch").talk().read()
    Request.objects.filter(message_id="msg_tomorrow").update(
        input=10, cache_read=CACHED - 1000, cache_write_5m=0, cache_write_1h=1000, at=now_ms()
    )
    return result


def compacted(transcript: Transcript) -> Run:
    parameters = {"transcript": transcript.pk, "kind": "full", "model": MODEL}
    run = Run.objects.create(kind="compaction", created_at=now_ms(), parameters=parameters)
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def usage(read: int, fresh: int) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": 0,
        "output_tokens": 9,
    }


def shown(address: str) -> str:
    answer = Client(HTTP_HOST="localhost").get(address)
    assert answer.status_code == 200
    return flowing(answer.content.decode())


def test_a_fork_is_captured_with_its_run_and_its_parent(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY, usage=usage(CACHED, 200)))
    run = compacted(transcript)
    assert run.status == "completed", run.error
    capture = Capture.objects.get()
    assert (capture.origin, capture.run_id, capture.parent_message) == ("lucid", run.pk, "msg_tomorrow")
    assert load_sent(capture).body() == server.requests[0].json
    assert load_sent(capture).params["betas"] == server.requests[0].headers["anthropic-beta"].split(",")
    assert (capture.cache_read, capture.input, capture.request_id) == (CACHED, 200, "req_1")
    answer = load_answer(capture)
    assert answer is not None
    assert answer["content"][0]["text"] == REPLY


def test_the_page_says_that_a_fork_shared_its_parents_cache(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY, usage=usage(CACHED, 200)))
    run = compacted(transcript)
    page = shown("/cache/own/")
    assert "✓ shared" in page
    assert "60.0k" in page
    assert f"/runs/{run.pk}/" in page
    capture = Capture.objects.get()
    assert "It shared the parent's cache" in shown(f"/cache/own/{capture.pk}/")
    assert "1 captured request" in shown(f"/runs/{run.pk}/")
    assert "1–1 of 1 captures" in shown(f"/captures/?run={run.pk}")


def test_a_fork_that_read_nothing_is_explained_to_the_block(server: MessagesServer, transcript: Transcript) -> None:
    """As if something had changed the system prompt on its way."""
    server.answer(Say(REPLY, usage=usage(0, CACHED)))
    compacted(transcript)
    capture = Capture.objects.get()
    changed = [{**block, "text": block["text"].replace("guess", "dither")} for block in SYSTEM]
    system = pack_numbers(contents_store(values=changed))
    parts_hash = print_of(join_parts(system, capture.tools, capture.messages))
    Capture.objects.filter(pk=capture.pk).update(system=system, parts_hash=parts_hash)
    assert "! not shared" in shown("/cache/own/")
    page = shown(f"/cache/own/{capture.pk}/")
    for words in ("60.0k tokens were paid for again", "system prompt changed", "system[1]", "byte 7", "dither"):
        assert words in page, words


def test_a_fork_that_was_the_same_and_read_nothing_is_laid_at_the_servers_door(
    server: MessagesServer, transcript: Transcript
) -> None:
    server.answer(Say(REPLY, usage=usage(0, CACHED)))
    compacted(transcript)
    page = shown(f"/cache/own/{Capture.objects.get().pk}/")
    assert "likely on the server" in page


def test_a_beta_that_the_parent_did_not_ask_for_is_noticed(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY, usage=usage(0, CACHED)))
    with override_settings(MODELS=replace(settings.MODELS, betas=("own-beta",))):
        compacted(transcript)
    assert "Betas changed: +own-beta." in shown(f"/cache/own/{Capture.objects.get().pk}/")


def test_a_request_that_failed_is_captured_with_its_error(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Fail(401, "invalid x-api-key"))
    compacted(transcript)
    capture = Capture.objects.get()
    assert (capture.status, capture.message_id, capture.input) == (401, "", None)
    assert "unknown" in shown("/cache/own/")
    assert "did not count its tokens" in shown(f"/cache/own/{capture.pk}/")


def test_what_cannot_be_captured_does_not_stop_the_run(server: MessagesServer, transcript: Transcript) -> None:
    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if 'INTO "transcripts_capture' in sql:
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    server.answer(Say(REPLY, usage=usage(CACHED, 200)))
    with connection.execute_wrapper(refuse):
        run = compacted(transcript)
    assert run.status == "completed"
    assert Capture.objects.count() == 0


def test_nothing_is_captured_where_recording_is_switched_off(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY, usage=usage(CACHED, 200)))
    with override_settings(LUCID_CAPTURE=False):
        compacted(transcript)
    assert Capture.objects.count() == 0


def test_no_key_of_ours_is_stored(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY))
    compacted(transcript)
    with connection.cursor() as cursor:
        for table in ("transcripts_capture", "transcripts_captureblob"):
            assert server.key not in str(cursor.execute(f"SELECT * FROM {table}").fetchall())
    kept = [load_sent(capture).body() for capture in Capture.objects.all()]
    assert server.key not in str(kept)


def test_the_empty_page_says_what_would_be_there() -> None:
    assert "No fork was captured yet" in shown("/cache/own/")
    assert Client(HTTP_HOST="localhost").get("/cache/own/7/").status_code == 404
