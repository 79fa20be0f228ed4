"""The page on which a proposal is looked at and decided."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memory.models import Batch, Proposal
from memory.proposals.selectors.proposals import proposal_files
from memory.proposals.services.proposals import FileReason, proposal_create
from tests.memory.remembering import Shelf
from tests.pages import flowing
from tests.sessions.hostile import PAYLOAD

pytestmark = pytest.mark.django_db

TIDES = b"High water at noon.\nLow water at six.\nNeap tides are small.\nSpring tides are large.\n"
CHANGED = b"High water at one.\nLow water at six.\nNeap tides are small.\nSpring tides are huge.\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "memory")
    shelf.outside("tides.md", TIDES)
    shelf.outside("fog.md", b"Fog comes at dawn in winter.\n")
    return shelf


@pytest.fixture
def proposal(shelf: Shelf) -> Proposal:
    proposal = proposal_create(
        directory=shelf.directory,
        kind=Proposal.Kind.DREAM,
        before=shelf.all(),
        after={"tides.md": CHANGED, "wind.md": f"West {PAYLOAD}\n".encode()},
        reasons={"wind.md": FileReason(f"It was said {PAYLOAD}.")},
        contradictions=[f"Noon against one {PAYLOAD}."],
    )
    assert proposal is not None
    return proposal


def read_field(client: Client, proposal: Proposal, name: str) -> str:
    """The digest of the losses that the page shows."""
    html = client.get(f"/memory/proposals/{proposal.pk}/").content.decode()
    return html.partition(f'name="{name}" value="')[2].partition('"')[0]


def find_ticked(html: str) -> list[str]:
    return re.findall(r'<input type="checkbox" name="(?:file|piece)" value="([^"]+)" checked>', html)


def test_what_would_lose_a_fact_is_not_ticked_at_first(client: Client, proposal: Proposal) -> None:
    files = {file.row.name: file.row.pk for file in proposal_files(proposal)}
    html = client.get(f"/memory/proposals/{proposal.pk}/").content.decode()
    assert str(files["fog.md"]) not in find_ticked(html)
    assert {str(files["tides.md"]), str(files["wind.md"])} <= set(find_ticked(html))
    assert "<dt>lost</dt><dd>0</dd>" in html


def test_the_counts_follow_the_ticks(client: Client, proposal: Proposal) -> None:
    files = {file.row.name: file.row.pk for file in proposal_files(proposal)}
    html = client.post(f"/memory/proposals/{proposal.pk}/count/", {"file": [files["fog.md"]]}).content.decode()
    assert "<dt>lost</dt><dd>1</dd>" in html
    assert "Fog comes at dawn in winter." in html
    assert "fog.md:1" in html
    assert "<dt>Facts kept</dt><dd>4</dd>" in html


def test_a_loss_that_nobody_was_shown_is_named_before_anything_is_written(
    client: Client, proposal: Proposal, shelf: Shelf
) -> None:
    files = {file.row.name: file.row.pk for file in proposal_files(proposal)}
    address = f"/memory/proposals/{proposal.pk}/"
    form = {"some": "1", "file": [files["fog.md"]], "seen": read_field(client, proposal, "seen")}
    response = client.post(address, form)
    html = response.content.decode()
    assert response.status_code == 409
    assert "this would lose 1 fact, named below" in html
    assert "Fog comes at dawn in winter." in html.partition("1 lost fact")[2].partition("</details>")[0]
    assert find_ticked(html) == [str(files["fog.md"])]
    assert "fog.md" in shelf.all()
    second = html.partition('name="seen" value="')[2].partition('"')[0]
    assert client.post(address, {**form, "seen": second}).status_code == 303
    assert "fog.md" not in shelf.all()
    page = client.get(address).content.decode()
    assert "Fog comes at dawn in winter." in page.partition("1 lost fact")[2].partition("</details>")[0]


def test_it_shows_each_file_with_its_reason_and_names_what_is_deleted_and_lost(
    client: Client, proposal: Proposal
) -> None:
    html = flowing(client.get(f"/memory/proposals/{proposal.pk}/").content.decode())
    assert "1 file would be deleted:" in html
    assert html.count("fog.md") >= 3
    assert "Fog comes at dawn in winter." in html.partition("“Accept all” would lose")[2].partition("</details>")[0]
    assert html.count('name="piece"') == 2
    assert PAYLOAD not in html
    assert html.count("No reason was given.") == 2


def test_it_takes_the_pieces_that_are_ticked_and_can_be_taken_back(
    client: Client, proposal: Proposal, shelf: Shelf
) -> None:
    files = {file.row.name: file.row.pk for file in proposal_files(proposal)}
    tides = files["tides.md"]
    address = f"/memory/proposals/{proposal.pk}/"
    form = {"some": "1", "file": [tides, files["wind.md"]], "divided": [tides], "piece": [f"{tides}:1"]}
    assert client.post(address, form).status_code == 303
    assert shelf.read("tides.md") == TIDES.replace(b"large", b"huge")
    assert sorted(shelf.all()) == ["fog.md", "tides.md", "wind.md"]
    html = client.get(address).content.decode()
    assert "partly accepted" in html
    assert "change 1: left out" in html
    assert 'name="piece"' not in html
    assert client.post(f"{address}undo/").status_code == 303
    assert sorted(shelf.all()) == ["fog.md", "tides.md"]
    assert "partly accepted, then taken back" in client.get(address).content.decode()


def test_ticks_with_thousands_of_digits_tick_nothing(client: Client, proposal: Proposal, shelf: Shelf) -> None:
    endless = "1" * 4_400
    form = {"some": "1", "file": [endless], "divided": [endless], "piece": [f"{endless}:{endless}"]}
    assert client.post(f"/memory/proposals/{proposal.pk}/", form).status_code < 500
    assert shelf.read("tides.md") == TIDES


def test_it_is_rejected_without_a_change(client: Client, proposal: Proposal, shelf: Shelf) -> None:
    assert client.post(f"/memory/proposals/{proposal.pk}/", {"reject": "1"}).status_code == 303
    assert shelf.read("tides.md") == TIDES
    assert not Batch.objects.exists()


def test_what_was_changed_meanwhile_is_shown_and_nothing_is_written(
    client: Client, proposal: Proposal, shelf: Shelf
) -> None:
    shelf.outside("tides.md", TIDES.replace(b"noon", b"two"))
    address = f"/memory/proposals/{proposal.pk}/"
    response = client.post(address, {"all": "1", "seen-all": read_field(client, proposal, "seen-all")})
    assert response.status_code == 409
    assert "tides.md was changed meanwhile. Nothing was written." in response.content.decode()
    assert sorted(shelf.all()) == ["fog.md", "tides.md"]


def test_a_proposal_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get("/memory/proposals/77/").status_code == 404
