"""The page on which a proposal is looked at and decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memory.models import Batch, Proposal
from memory.selectors.proposals import proposal_files
from memory.services.proposals import Why, proposal_create
from tests.memory.remembering import Shelf
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
    found = proposal_create(
        directory=shelf.directory,
        kind=Proposal.Kind.DREAM,
        before=shelf.all(),
        after={"tides.md": CHANGED, "wind.md": f"West {PAYLOAD}\n".encode()},
        why={"wind.md": Why(f"It was said {PAYLOAD}.")},
        contradictions=[f"Noon against one {PAYLOAD}."],
    )
    assert found is not None
    return found


def test_it_shows_each_file_with_its_reason_and_names_what_is_deleted_and_lost(
    client: Client, proposal: Proposal
) -> None:
    html = client.get(f"/memory/proposals/{proposal.pk}/").content.decode()
    assert "1 file would be deleted:" in html
    assert html.count("fog.md") >= 3
    assert "Fog comes at dawn in winter." in html.partition("1 lost fact")[2].partition("</details>")[0]
    assert html.count('name="piece"') == 2
    assert PAYLOAD not in html
    assert html.count("No reason was given.") == 2


def test_it_takes_the_pieces_that_are_ticked_and_can_be_taken_back(
    client: Client, proposal: Proposal, shelf: Shelf
) -> None:
    files = {one.row.name: one.row.pk for one in proposal_files(proposal)}
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


def test_it_is_rejected_without_a_change(client: Client, proposal: Proposal, shelf: Shelf) -> None:
    assert client.post(f"/memory/proposals/{proposal.pk}/", {"reject": "1"}).status_code == 303
    assert shelf.read("tides.md") == TIDES
    assert not Batch.objects.exists()


def test_what_was_changed_meanwhile_is_shown_and_nothing_is_written(
    client: Client, proposal: Proposal, shelf: Shelf
) -> None:
    shelf.outside("tides.md", TIDES.replace(b"noon", b"two"))
    response = client.post(f"/memory/proposals/{proposal.pk}/", {"all": "1"})
    assert response.status_code == 409
    assert "tides.md was changed meanwhile. Nothing was written." in response.content.decode()
    assert sorted(shelf.all()) == ["fog.md", "tides.md"]


def test_a_proposal_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get("/memory/proposals/77/").status_code == 404
