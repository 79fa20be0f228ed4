from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from sessions.imports.services.sync import sync_files
from sessions.models import Transcript
from tests.sessions.writing import append
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def tail_of(client: Client, transcript: Transcript) -> str:
    """The address that the page of a session asks for what is new."""
    html = client.get(f"/sessions/{transcript.public_id}/").content.decode()
    match = re.search(r'id="tail"[^>]* hx-get="([^"]+)" hx-trigger="every 1s"', html)
    assert match
    return match[1].replace("&amp;", "&")


def grow(file: Written, count: int) -> None:
    """What was written since, as the watcher sees it."""
    append(file.path, *file.records[-count:])
    assert sync_files([file.path])


def test_nothing_new_is_no_content(client: Client, file: Written) -> None:
    file.turns(2)
    address = tail_of(client, file.read())
    assert client.get(address).status_code == 204


def test_a_new_entry_comes_as_a_card_and_with_the_next_tail(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    address = tail_of(client, transcript)
    file.user("One more thing")
    grow(file, 1)
    response = client.get(address)
    assert response.status_code == 200
    html = response.content.decode()
    assert "One more thing" in html
    assert 'id="e8"' in html
    assert "harbour" not in html.split('id="ruler"')[0]
    assert f'hx-get="/sessions/{transcript.public_id}/live/?after=9"' in html
    assert client.get(f"/sessions/{transcript.public_id}/live/?after=9").status_code == 204


def test_the_card_of_a_call_that_got_its_result_is_swapped_in_place(client: Client, file: Written) -> None:
    file.turns(1)
    file.call("Bash", "toolu_late", command="make")
    transcript = file.read()
    html = client.get(f"/sessions/{transcript.public_id}/").content.decode()
    assert "no result yet" in html
    address = tail_of(client, transcript)
    file.result("toolu_late", "built in 3 s")
    grow(file, 1)
    html = client.get(address).content.decode()
    card = re.search(r'<article class="card tool" id="e4" hx-swap-oob="true">.*?</article>', html, re.DOTALL)
    assert card
    assert "built in 3 s" in card[0]
    assert "no result yet" not in card[0]
    assert html.count("built in 3 s") == 1


def test_the_ruler_grows_with_the_session(client: Client, file: Written) -> None:
    file.turns(2)
    address = tail_of(client, file.read())
    file.assistant("More")
    grow(file, 1)
    html = client.get(address).content.decode()
    assert re.search(r'<figure id="ruler" class="ruler" data-entries="9" hx-swap-oob="true">', html)


def test_more_than_a_window_at_once_goes_on_below(client: Client, file: Written) -> None:
    file.turns(1)
    address = tail_of(client, file.read())
    for number in range(150):
        file.assistant(f"Answer {number}")
    grow(file, 150)
    html = client.get(address).content.decode()
    assert "Answer 0" in html
    assert "Answer 149" not in html
    assert "Later entries" in html
    assert 'id="tail"' not in html


def test_a_view_of_every_record_stays_one(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    file.state("mode", mode="plan")
    grow(file, 1)
    plain = client.get(f"/sessions/{transcript.public_id}/live/?after=4").content.decode()
    assert 'class="chips"' not in plain
    whole = client.get(f"/sessions/{transcript.public_id}/live/?after=4&all=1").content.decode()
    assert 'class="chips" id="e4"' in whole
    assert "live/?after=5&amp;all=1" in whole
