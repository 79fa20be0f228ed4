"""A session with a damaged block, whose file is gone: every page answers, says so, and shows the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import cast

import pytest
from asgiref.sync import async_to_sync
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client

from sessions.archive.engine.frames import BLOCK_SIZE
from sessions.models import Block, Entry, Request, Source, Transcript
from tests.pages import fetch
from tests.sessions.archive.rotting import block_of, flipped, rot, without_hashes
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "are damaged in the archive"


@pytest.fixture
def client() -> Client:
    return Client(HTTP_HOST="localhost")


@pytest.fixture
def file(tmp_path: Path) -> Written:
    random = Random(5)
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    for number in range(30):
        file.user(f"How high is harbour {number}?")
        file.call("Bash", f"toolu_{number}", command="tide")
        file.result(f"toolu_{number}", " ".join(f"{random.randrange(10**9):x}" for _ in range(5_000)))
        file.assistant(f"It is high at {number}.")
    agent = Written(project=file.project, agent="a17")
    agent.user("Look at the moorings")
    agent.assistant("There are nine.", message="msg_of_the_agent")
    agent.save(agent.path.parent, agent.path.stem)
    return file


@pytest.fixture
def session(file: Written) -> Transcript:
    """Its middle block is damaged, and its file is gone."""
    transcript = file.read()
    source = Source.objects.get(pk=transcript.source_id)
    assert 2 * BLOCK_SIZE < source.archived < 3 * BLOCK_SIZE
    rot(source, 1)
    file.path.unlink()
    return transcript


def lost(session: Transcript) -> list[Entry]:
    """The entries that lie in the damaged block, wholly."""
    inside = Entry.objects.filter(offset__gte=BLOCK_SIZE, offset__lt=2 * BLOCK_SIZE - 100_000)
    result = [entry for entry in inside.order_by("pk") if entry.transcript_id == session.pk]
    assert result
    return result


def get(client: Client, session: Transcript, rest: str, **headers: str) -> str:
    return fetch(client, f"/sessions/{session.public_id}/{rest}", **headers)


def test_the_timeline_has_a_card_for_what_is_lost_and_shows_the_rest(client: Client, session: Transcript) -> None:
    html = get(client, session, "")
    assert "It is high at 0." in html or "It is high at 29." in html
    html = get(client, session, f"?at={lost(session)[0].position}")
    assert "Damaged in the archive" in html
    assert f"Bytes {BLOCK_SIZE:,} to {2 * BLOCK_SIZE:,} of the file {SAID}" in html
    assert html.count("Bytes 524,288 to") <= 30  # one card for a stretch, not one an entry


def test_a_call_says_that_its_result_is_damaged(client: Client, session: Transcript) -> None:
    calls = [
        entry
        for entry in Entry.objects.filter(offset__lt=BLOCK_SIZE, type="assistant").order_by("pk")
        if entry.tool_key
    ]
    split = next(
        call
        for call in calls
        for answer in Entry.objects.filter(tool_key=call.tool_key, type="user")
        if answer.offset + answer.length > BLOCK_SIZE
    )
    assert "its result is damaged in the archive" in get(client, session, f"?at={split.position}")


@pytest.mark.parametrize(
    "rest",
    ["context/", "context/?next=1", "context/changes/", "context/left-out/", "compact/", "compare/?a=next&b=next"],
)
def test_what_cannot_be_made_of_half_its_records_is_a_card(client: Client, session: Transcript, rest: str) -> None:
    html = get(client, session, rest)
    assert SAID in html
    assert "What belongs here is damaged" in html


def test_the_context_is_a_card_among_the_tabs(client: Client, session: Transcript) -> None:
    html = get(client, session, "context/")
    assert SAID in html
    assert "What belongs here is damaged" in html
    assert f"/sessions/{session.public_id}/agents/" in html
    part = get(client, session, "context/", **{"HX-Request": "true", "HX-Target": "messages"})
    assert SAID in part
    assert "<html" not in part


def test_every_tab_answers(client: Client, session: Transcript) -> None:
    request = Request.objects.filter(transcript=session).order_by("position")[15].message_id
    for rest in (
        "cache/",
        "compactions/",
        "agents/",
        "agents/messages/",
        "agents/summaries/",
        "notes/",
        "live/?after=0",
        "find/?q=harbour",
        f"requests/{request}/",
        f"context/?request={request}",
        f"?context={request}",
    ):
        assert "Traceback" not in get(client, session, rest), rest


def test_an_entry_has_its_page_with_the_card(client: Client, session: Transcript) -> None:
    for entry in lost(session)[:4]:
        assert SAID in get(client, session, f"entries/L{entry.position}/")


def test_a_permalink_still_finds_a_damaged_entry(client: Client, file: Written, session: Transcript) -> None:
    entry = lost(session)[0]
    uuid = file.records[entry.position]["uuid"]
    assert SAID in get(client, session, f"entries/{uuid}/")


def test_files_are_sent_whole_or_not_at_all(client: Client, session: Transcript) -> None:
    entry = lost(session)[0]
    response = client.get(f"/sessions/{session.public_id}/entries/L{entry.position}/raw/")
    assert response.status_code == 410
    assert response["Content-Type"].startswith("text/plain")
    assert SAID in response.content.decode()
    assert client.get(f"/sessions/{session.public_id}/entries/L0/raw/").status_code == 200


async def exported(session: Transcript, form: str) -> str:
    client = AsyncClient(HTTP_HOST="localhost")
    response = cast(StreamingHttpResponse, await client.get(f"/sessions/{session.public_id}/export/{form}/"))
    assert response.status_code == 200
    pieces = cast(AsyncIterator[bytes], response.streaming_content)
    return b"".join([piece async for piece in pieces]).decode()


@pytest.mark.parametrize("form", ["html", "md"])
def test_an_export_marks_the_place_and_says_that_it_is_not_whole(session: Transcript, form: str) -> None:
    text = async_to_sync(exported)(session, form)
    assert "It is high at 0." in text
    assert "It is high at 29." in text
    assert text.count("Damaged in the archive") >= 1
    assert "This document is not whole" in text
    assert text.rstrip().endswith("</html>") or form == "md"


@pytest.mark.parametrize("form", ["html", "md"])
def test_an_export_of_a_sound_session_says_nothing_of_the_kind(file: Written, form: str) -> None:
    assert "not whole" not in async_to_sync(exported)(file.read(), form)


def test_hits_are_listed_without_the_text_that_is_lost(client: Client, session: Transcript) -> None:
    html = client.get("/search/?q=harbour").content.decode() + client.get("/search/?q=harbour+15").content.decode()
    assert "Damaged:" in html
    deep = client.get("/search/?q=tide&deep=1").content.decode()
    assert "Not searched:" in deep


def test_the_agents_tab_says_that_it_may_lack_something(client: Client, session: Transcript, tmp_path: Path) -> None:
    agent = Transcript.objects.get(agent_id="a17")
    Path(agent.source.path).unlink()
    rot(agent.source, 0)
    html = get(client, session, "agents/")
    assert "Some records are damaged" in html
    assert "agent-a17" in html


def test_bits_that_flip_before_there_was_a_hash_are_no_error_either(client: Client, file: Written) -> None:
    """Whatever the frame unpacks to: other bytes, too few, or none."""
    transcript = file.read()
    file.path.unlink()
    source = Source.objects.get(pk=transcript.source_id)
    without_hashes()
    random = Random(3)
    pk = block_of(source, 0)
    before = bytes(Block.objects.get(pk=pk).data)
    for _ in range(25):
        Block.objects.filter(pk=pk).update(data=flipped(before, random.randrange(8 * len(before))))
        for rest in ("?at=0", "context/", "entries/L1/"):
            get(client, transcript, rest)


def test_compactions_are_listed_though_their_words_are_lost(client: Client, tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.turns(2)
    file.compacts("We looked at the harbour.")
    file.turns(2)
    transcript = file.read()
    assert "Some records are damaged" not in get(client, transcript, "compactions/")
    rot(Source.objects.get(pk=transcript.source_id), 0)
    file.path.unlink()
    html = get(client, transcript, "compactions/")
    assert "Some records are damaged" in html
    assert "1 compaction" in html
