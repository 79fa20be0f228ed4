"""A check names every piece that is damaged, of whatever it is one; a repair brings back what files still hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from compaction.kinds.engine import Parameters
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from compaction.models import Compaction
from inspector.agents.choosing import ModelSettings
from inspector.checks.services import CHECK, REPAIR
from inspector.runs.models import Run
from inspector.runs.services import run_perform
from memory.history.selectors.history import file_get, file_history
from memory.models import Blob
from sessions.archive.selectors.blocks import repairable_blocks
from sessions.capture.services.captures import capture_store, captures_prune
from sessions.models import Block, Capture, CaptureBlob, Source, Transcript
from tests.memory.remembering import Shelf
from tests.pages import flowing
from tests.sessions.archive.rotting import flipped, rot
from tests.sessions.capture.capturing import exchange, message, request
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)
NOW = 1_800_000_000_000


@pytest.fixture
def client() -> Client:
    return Client(HTTP_HOST="localhost")


@pytest.fixture(autouse=True)
def _nothing_met_before() -> Iterator[None]:
    repairable_blocks.clear()
    yield
    repairable_blocks.clear()


@pytest.fixture
def file(tmp_path: Path) -> Written:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.turns(4)
    return file


@pytest.fixture
def transcript(file: Written) -> Transcript:
    return file.read()


def checked(kind: str = CHECK) -> dict[str, Any]:
    return run_perform(kind=kind, pulse=False)


def test_what_is_sound_is_called_so(transcript: Transcript) -> None:
    result = checked()
    assert (result["damaged"], result["damage"], result["blocks"]) == (0, [], Block.objects.count())
    assert result["summary"].startswith("The archive is sound")


def test_a_damaged_block_is_named_with_its_session_and_repaired(file: Written, transcript: Transcript) -> None:
    source = Source.objects.get(pk=transcript.source_id)
    rot(source, 0)
    result = checked()
    (element,) = result["damage"]
    assert (element["session"], element["kind"], element["range"]) == (
        transcript.public_id,
        "block",
        [0, source.archived],
    )
    assert (result["damaged"], result["repairable"], element["repairable"]) == (1, 1, True)
    repaired = checked(REPAIR)
    assert (repaired["damaged"], repaired["repaired"], repaired["damage"]) == (0, 1, [])
    assert repaired["repairs"][0]["session"] == transcript.public_id
    assert checked()["damaged"] == 0


def test_what_no_file_holds_stays_named(file: Written, transcript: Transcript) -> None:
    rot(Source.objects.get(pk=transcript.source_id), 0)
    file.path.unlink()
    for kind in (CHECK, REPAIR):
        result = checked(kind)
        assert (result["damaged"], result["repairable"], result["repaired"]) == (1, 0, 0)
        assert "no file holds it any more" in result["alarm"]


def test_the_page_of_a_check_leads_to_the_session_and_offers_the_repair(
    client: Client, file: Written, transcript: Transcript
) -> None:
    rot(Source.objects.get(pk=transcript.source_id), 0)
    checked()
    run = Run.objects.latest("pk")
    html = client.get(f"/runs/{run.pk}/").content.decode()
    assert f'href="/sessions/{transcript.public_id}/"' in html
    assert 'value="repair archive"' in html
    assert "1 of them repairable" in flowing(html)
    response = client.post("/runs/start/", {"kind": "repair archive"})
    assert response.status_code == 303
    assert Run.objects.latest("pk").kind == "repair archive"
    checked(REPAIR)
    assert "Brought back" in client.get(f"/runs/{Run.objects.latest('pk').pk}/").content.decode()


def test_a_page_that_read_the_file_instead_has_the_block_repaired(
    client: Client, file: Written, transcript: Transcript
) -> None:
    before = rot(Source.objects.get(pk=transcript.source_id), 0)
    for _ in range(3):
        html = client.get(f"/sessions/{transcript.public_id}/").content.decode()
        assert "Damaged in the archive" not in html
    run = Run.objects.get()
    assert (run.kind, run.parameters) == (REPAIR, {"sources": [transcript.source_id]})
    result = run_perform(kind=REPAIR, parameters=run.parameters, pulse=False)
    assert (result["blocks"], result["repaired"], result["damaged"]) == (1, 1, 0)
    assert bytes(Block.objects.get().data) == before


def captured() -> Capture:
    result = capture_store(exchange=exchange(request(), message()))
    assert result is not None
    return result


def test_a_damaged_content_of_a_capture_is_named_and_never_shown(client: Client) -> None:
    capture = captured()
    blob = CaptureBlob.objects.order_by("pk").first()
    assert blob is not None
    silent = []
    before = bytes(blob.data)
    for bit in range(0, 8 * len(before), 7):
        CaptureBlob.objects.filter(pk=blob.pk).update(data=flipped(before, bit))
        response = client.get(f"/captures/{capture.pk}/")
        assert response.status_code == 200
        if "of a captured request is damaged" not in response.content.decode():
            silent.append(bit)
    # A bit of the frame's header may mean nothing: then the content is what it was, and its hash says so.
    assert len(silent) <= 2
    CaptureBlob.objects.filter(pk=blob.pk).update(data=before[:-1])
    (result,) = checked()["damage"]
    assert (result["kind"], result["path"], result["repairable"]) == ("capture", f"capture {capture.pk}", False)
    assert client.get(f"/captures/{capture.pk}/raw/").status_code == 410
    assert client.get("/captures/").status_code == 200


def test_a_damaged_list_of_a_capture_is_named_and_nothing_is_pruned_by_it(client: Client) -> None:
    capture = captured()
    Capture.objects.update(messages=flipped(bytes(capture.messages), 8 * (len(capture.messages) - 1)))
    assert [item["kind"] for item in checked()["damage"]] == ["capture"]
    assert "Capture" in client.get(f"/captures/{capture.pk}/").content.decode()
    old = captured_as("another")
    Capture.objects.filter(pk=old.pk).update(at=0)
    count = CaptureBlob.objects.count()
    captures_prune(before=1)
    assert CaptureBlob.objects.count() == count


def captured_as(name: str) -> Capture:
    result = capture_store(exchange=exchange(request(), message(), name=name))
    assert result is not None
    return result


def test_captures_from_before_there_were_hashes_get_theirs(client: Client) -> None:
    known = {bytes(item.parts_hash or b"") for item in (captured(), captured_as("another"))}
    Capture.objects.update(parts_hash=None)
    assert checked()["damaged"] == 0
    assert {bytes(capture or b"") for capture in Capture.objects.values_list("parts_hash", flat=True)} == known


def test_a_damaged_version_is_named_shown_as_a_card_and_comes_back_from_the_file(
    client: Client, tmp_path: Path
) -> None:
    shelf = Shelf(tmp_path / "memory")
    shelf.write("a.md", "first\n")
    shelf.write("a.md", "second\n")
    first, second = file_history(file_get(shelf.directory, "a.md")).order_by("number")
    for version in (first, second):
        blob = version.blob
        assert isinstance(blob, Blob)
        Blob.objects.filter(pk=blob.pk).update(data=flipped(bytes(blob.data), 8 * len(blob.data) - 3))
    result = checked()
    assert [(item["kind"], item["repairable"]) for item in result["damage"]] == [("version", False), ("version", True)]
    response = client.get(f"/memory/{shelf.directory.pk}/versions/{first.pk}/")
    assert response.status_code == 200
    assert "of a memory file is damaged" in response.content.decode()
    repaired = checked(REPAIR)
    assert (repaired["damaged"], repaired["repaired"]) == (1, 1)
    assert shelf.read("a.md") == b"second\n"


def test_a_damaged_compaction_is_named_and_shown_as_a_card(client: Client, transcript: Transcript) -> None:
    made = compaction_make(
        transcript=transcript,
        kind=FULL,
        parameters=Parameters(),
        summariser=summariser_choose(ModelSettings(claude="off")),
        now_ms=NOW,
    )
    pages = [f"/sessions/{transcript.public_id}/compactions/run-{made.pk}/"]
    assert [client.get(page).status_code for page in pages] == [200]
    Compaction.objects.update(packed=flipped(bytes(made.packed), 300))
    (result,) = checked()["damage"]
    assert (result["kind"], result["session"]) == ("compaction", transcript.public_id)
    for page in pages:
        response = client.get(page)
        assert response.status_code == 200
        assert f"What compaction {made.number} has left is damaged" in response.content.decode()
    download = client.get(f"/sessions/{transcript.public_id}/compactions/run-{made.pk}/export/zip/")
    assert download.status_code == 410
    assert "Nothing is sent, because it would not be whole" in download.content.decode()
    Compaction.objects.update(packed=made.packed, packed_hash=None)
    assert checked()["damaged"] == 0
    assert bytes(Compaction.objects.get().packed_hash or b"") == bytes(made.packed_hash or b"")
