"""What is proposed changes nothing until somebody accepts it, and then is one change that can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.selectors.disk_contents import read_contents
from memory.history.services.batches import NothingToChangeError
from memory.history.services.restoration import batch_undo
from memory.models import Cause, Proposal, ProposedFile, Version
from memory.proposals.selectors.proposals import Source, proposal_files
from memory.proposals.services.proposals import (
    FileReason,
    NotOpenError,
    proposal_accept,
    proposal_create,
    proposal_reject,
)
from memory.proposals.services.working_copy import copy_make
from sessions.imports.services.sync import sync
from sessions.models import Transcript
from tests.memory.remembering import Shelf
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db

BEFORE = {
    "MEMORY.md": b"- [Tides](tides.md)\n- [Fog](fog.md)\n",
    "boats.md": b"Boats are green.\n",
    "fog.md": b"Fog comes at dawn.\n",
    "tides.md": b"High water at noon.\nLow water at six.\nNeap tides are small.\nSpring tides are large.\n",
}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "memory")
    for name, data in BEFORE.items():
        shelf.outside(name, data)
    return shelf


def propose(shelf: Shelf, **after: bytes | None) -> Proposal:
    """Of a copy in which files were changed; None empties one."""
    copy = shelf.path.parent / "copy"
    before = copy_make(directory=shelf.directory, to=copy)
    for stem, data in after.items():
        (copy / f"{stem}.md").write_bytes(data or b"")
    proposal = proposal_create(
        directory=shelf.directory, kind=Proposal.Kind.DREAM, before=before, after=read_contents(path=copy), run_id=7
    )
    assert proposal is not None
    return proposal


def test_a_copy_is_compared_with_what_it_was_made_of(shelf: Shelf) -> None:
    proposal = propose(shelf, fog=None, tides=b"High water at one.\n", harbour=b"Boats are green.\n", wind=b"West.\n")
    actions = [(file.row.action, file.row.name) for file in proposal_files(proposal)]
    assert actions == [
        ("deleted", "fog.md"),
        ("created", "harbour.md"),
        ("updated", "tides.md"),
        ("created", "wind.md"),
    ]
    assert shelf.all() == BEFORE
    assert proposal.base.keys() == BEFORE.keys()


def test_a_file_that_goes_while_its_content_comes_is_renamed(shelf: Shelf) -> None:
    proposal = propose(shelf, boats=None, harbour=BEFORE["boats.md"])
    file = ProposedFile.objects.get()
    assert (file.action, file.former_name, file.name) == ("renamed", "boats.md", "harbour.md")
    proposal_accept(proposal=proposal)
    assert "boats.md" not in shelf.all()
    assert [version.name for version in Version.objects.filter(file__name="harbour.md")] == ["boats.md", "harbour.md"]


def test_nothing_changed_is_no_proposal(shelf: Shelf) -> None:
    assert proposal_create(directory=shelf.directory, kind=Proposal.Kind.TIDY, before=BEFORE, after=BEFORE) is None


def test_all_of_it_is_one_change_of_its_run_and_can_be_undone(shelf: Shelf) -> None:
    proposal = propose(shelf, fog=None, wind=b"West.\n", tides=b"High water at one.\n")
    batch = proposal_accept(proposal=proposal)
    assert shelf.all() == {
        "MEMORY.md": BEFORE["MEMORY.md"],
        "boats.md": BEFORE["boats.md"],
        "tides.md": b"High water at one.\n",
        "wind.md": b"West.\n",
    }
    assert (batch.run_id, batch.cause, proposal.status) == (7, Cause.RUN, Proposal.Status.ACCEPTED)
    batch_undo(batch=batch)
    assert shelf.all() == BEFORE


def test_single_pieces_of_single_files_are_accepted(shelf: Shelf) -> None:
    changed = b"High water at one.\nLow water at six.\nNeap tides are small.\nSpring tides are huge.\n"
    proposal = propose(shelf, fog=None, tides=changed)
    tides = next(file for file in proposal_files(proposal) if file.row.name == "tides.md")
    assert len(tides.hunks) == 2
    proposal_accept(proposal=proposal, chosen={tides.row.pk: [1]})
    assert shelf.read("tides.md") == BEFORE["tides.md"].replace(b"large", b"huge")
    assert shelf.read("fog.md") == BEFORE["fog.md"]
    decisions = dict(ProposedFile.objects.values_list("name", "decision"))
    assert (proposal.status, decisions) == ("partly", {"fog.md": "rejected", "tides.md": "partly"})


def test_what_was_changed_elsewhere_in_the_file_meanwhile_is_kept(shelf: Shelf) -> None:
    proposal = propose(shelf, tides=BEFORE["tides.md"].replace(b"noon", b"one"))
    shelf.outside("tides.md", BEFORE["tides.md"] + b"The agent added this.\n")
    batch = proposal_accept(proposal=proposal)
    assert shelf.read("tides.md") == BEFORE["tides.md"].replace(b"noon", b"one") + b"The agent added this.\n"
    assert "tides.md had been changed meanwhile" in batch.message


@pytest.mark.parametrize(
    ("name", "after"), [("tides", BEFORE["tides.md"].replace(b"noon", b"one")), ("fog", None), ("wind", b"West.\n")]
)
def test_what_stands_against_a_later_change_is_refused_as_a_whole(shelf: Shelf, name: str, after: bytes | None) -> None:
    proposal = propose(shelf, boats=b"Boats are red.\n", **{name: after})
    later = BEFORE.get(f"{name}.md", b"East.\n").replace(b"noon", b"two").replace(b"dawn", b"dusk")
    shelf.outside(f"{name}.md", later)
    with pytest.raises(ChangedMeanwhileError, match=name):
        proposal_accept(proposal=proposal)
    assert shelf.all() == {**BEFORE, f"{name}.md": later}
    proposal.refresh_from_db()
    assert proposal.status == Proposal.Status.OPEN


def test_it_is_decided_once(shelf: Shelf) -> None:
    proposal = propose(shelf, fog=None)
    with pytest.raises(NothingToChangeError):
        proposal_accept(proposal=proposal, chosen={})
    proposal_reject(proposal=proposal)
    assert (proposal.status, shelf.all()) == (Proposal.Status.REJECTED, BEFORE)
    with pytest.raises(NotOpenError):
        proposal_accept(proposal=proposal)


def test_an_acceptance_that_was_cut_off_is_completed_by_the_next(shelf: Shelf) -> None:
    proposal = propose(shelf, tides=b"High water at one.\n")
    batch = proposal_accept(proposal=proposal)
    Proposal.objects.update(status=Proposal.Status.OPEN, batch=None)
    assert proposal_accept(proposal=proposal) == batch
    assert proposal.status == Proposal.Status.ACCEPTED


def test_a_version_knows_the_entry_that_its_text_comes_from(shelf: Shelf, tmp_path: Path) -> None:
    talk = Writing()
    talk.user("Good morning.")
    entry = talk.user("The wind is from the west.")
    talk.save(tmp_path / "projects" / "-home-dev-boat")
    sync([tmp_path], workers=1)
    transcript = Transcript.objects.get()
    proposal = proposal_create(
        directory=shelf.directory,
        kind=Proposal.Kind.EXTRACTION,
        before=BEFORE,
        after={**BEFORE, "wind.md": b"West.\n"},
        reasons={
            "wind.md": FileReason("It was said.", [Source(transcript.pk, "nowhere"), Source(transcript.pk, entry)])
        },
    )
    assert proposal is not None
    proposal_accept(proposal=proposal)
    version = Version.objects.get(name="wind.md")
    assert (version.transcript, version.position, version.evidence) == (transcript, 1, "")


def test_the_first_memory_makes_its_directory(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "memory")
    shelf.path.rmdir()
    proposal = proposal_create(
        directory=shelf.directory, kind=Proposal.Kind.EXTRACTION, before={}, after={"wind.md": b"West.\n"}
    )
    assert proposal is not None
    proposal_accept(proposal=proposal)
    assert shelf.all() == {"wind.md": b"West.\n"}
