"""Messages are pinned with a click, and listed where a compaction is started."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from compaction.models import Pin
from sessions.models import Transcript
from tests.compaction.export.test_services import session
from tests.pages import fetch

pytestmark = pytest.mark.django_db


@pytest.fixture
def transcript(tmp_path: Path, settings: Settings) -> Transcript:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    settings.LUCID_HOME = tmp_path / "home"
    return session(tmp_path)


def pages(transcript: Transcript) -> str:
    return f"/sessions/{transcript.public_id}/"


def first_prompt(transcript: Transcript) -> str:
    for line in Path(transcript.source.path).read_text().splitlines():
        record = json.loads(line)
        if record["type"] == "user" and isinstance(record["message"]["content"], str):
            uuid: str = record["uuid"]
            return uuid
    raise AssertionError


def listed(client: Client, transcript: Transcript) -> list[str]:
    html = fetch(client, f"{pages(transcript)}compact/")
    assert f"Pinned messages: {Pin.objects.count() or 'none'}" in html
    return re.findall(r'name="entry" value="([^"]+)"', html)


def test_a_message_is_pinned_from_its_entry_and_unpinned_from_the_form(client: Client, transcript: Transcript) -> None:
    entry = first_prompt(transcript)
    assert f'action="{pages(transcript)}pins/"' in fetch(client, f"{pages(transcript)}entries/{entry}/")
    response = client.post(f"{pages(transcript)}pins/", {"entry": entry})
    assert (response.status_code, response["Location"]) == (303, f"{pages(transcript)}compact/?kind=full#pinned")
    assert list(Pin.objects.values_list("uuid", flat=True)) == [entry]
    assert listed(client, transcript) == [entry]
    client.post(f"{pages(transcript)}pins/", {"entry": entry, "state": "off"})
    assert not Pin.objects.exists()
    assert listed(client, transcript) == []


def test_the_form_takes_the_number_of_an_entry(client: Client, transcript: Transcript) -> None:
    assert 'name="entry" placeholder="number or uuid"' in fetch(client, f"{pages(transcript)}compact/")
    position = next(
        number
        for number, line in enumerate(Path(transcript.source.path).read_text().splitlines())
        if json.loads(line).get("uuid") == first_prompt(transcript)
    )
    client.post(f"{pages(transcript)}pins/", {"entry": str(position), "kind": "auto"})
    assert listed(client, transcript) == [first_prompt(transcript)]


def test_a_message_is_pinned_once(client: Client, transcript: Transcript) -> None:
    for _ in range(2):
        client.post(f"{pages(transcript)}pins/", {"entry": first_prompt(transcript)})
    assert Pin.objects.count() == 1


def test_what_is_no_message_is_not_pinned(client: Client, transcript: Transcript) -> None:
    unknown = client.post(f"{pages(transcript)}pins/", {"entry": "nobody"})
    assert (unknown.status_code, unknown.content) == (400, b"The session has no entry nobody.")
    assert client.get(f"{pages(transcript)}pins/").status_code == 405
