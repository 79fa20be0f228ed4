"""Nothing is lost for ever: versions, batches and deleted files come back, and an undo can itself be undone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.files.engine.clash import ChangedMeanwhileError, encode_merged
from memory.files.engine.disk import AlreadyThereError, OutsideError, digest_of
from memory.files.services.writing import delete, memory_change, rename, write
from memory.history.selectors.history import batches_of, batches_of_run, file_get, file_history, files_deleted
from memory.history.services.batches import NothingToChangeError
from memory.history.services.restoration import NotUndoableError, batch_undo, memory_roll_back, version_restore
from memory.models import Batch, Cause, Version
from tests.memory.remembering import Shelf

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "memory")
    shelf.write("a.md", "a\n")
    shelf.write("b.md", "b\n")
    return shelf


def test_any_version_can_be_restored(shelf: Shelf) -> None:
    shelf.write("a.md", "second\n")
    first = file_history(file_get(shelf.directory, "a.md")).get(number=1)
    batch = version_restore(version=first, expected=shelf.digest("a.md"))
    assert shelf.read("a.md") == b"a\n"
    version = batch.versions.get()
    assert (version.cause, version.restored, version.number) == (Cause.RESTORE, first, 3)


def test_a_deleted_file_comes_back_with_its_mode_and_age(shelf: Shelf) -> None:
    os.chmod(shelf.path / "a.md", 0o600)
    os.utime(shelf.path / "a.md", ns=(10**18, 10**18))
    shelf.delete("a.md")
    (file,) = files_deleted(shelf.directory)
    last = file_history(file).filter(blob__isnull=False)[0]
    version_restore(version=last, expected=None)
    status = (shelf.path / "a.md").stat()
    assert (shelf.read("a.md"), status.st_mode & 0o777, status.st_mtime_ns) == (b"a\n", 0o600, 10**18)


def test_a_deleted_file_whose_name_is_taken_comes_back_under_another(shelf: Shelf) -> None:
    deleted = file_get(shelf.directory, "a.md")
    shelf.delete("a.md")
    shelf.rename("b.md", "a.md")
    version = file_history(deleted).get(number=1)
    with pytest.raises(AlreadyThereError):
        version_restore(version=version, expected=None)
    version_restore(version=version, expected=None, name="old-a.md")
    assert shelf.all() == {"a.md": b"b\n", "old-a.md": b"a\n"}


def big(shelf: Shelf) -> Batch:
    return memory_change(
        moves=[
            rename(shelf.directory, "a.md", "c.md", digest_of(b"a\n")),
            delete(shelf.directory, "b.md", digest_of(b"b\n")),
            write(shelf.directory, "d.md", "d\n", None),
        ],
        cause=Cause.RUN,
        run_id=7,
        message="Dream",
    )


def test_a_run_is_undone_as_a_whole_and_the_undo_too(shelf: Shelf) -> None:
    before = shelf.all()
    big(shelf)
    after = shelf.all()
    (batch,) = batches_of_run(7)
    undo = batch_undo(batch=batch)
    assert shelf.all() == before
    assert (undo.undoes, undo.cause) == (batch, Cause.UNDO)
    batch_undo(batch=undo)
    assert shelf.all() == after


def test_what_changed_since_stops_an_undo_until_somebody_has_chosen(shelf: Shelf) -> None:
    shelf.write("a.md", "one\ntwo\nthree\n")
    batch = shelf.write("a.md", "one\nTWO\nthree\n")
    shelf.outside("a.md", b"one\nTWO\nthree\nfour\n")
    with pytest.raises(ChangedMeanwhileError) as caught:
        batch_undo(batch=batch)
    (clash,) = caught.value.clashes
    assert clash.merge
    assert shelf.read("a.md") == b"one\nTWO\nthree\nfour\n"
    batch_undo(batch=batch, resolved={clash.key: encode_merged(clash.merge.text())})
    assert shelf.read("a.md") == b"one\ntwo\nthree\nfour\n"


def test_one_file_that_changed_since_keeps_the_whole_batch_from_being_undone(shelf: Shelf) -> None:
    batch = big(shelf)
    shelf.write("d.md", "more\n")
    before = shelf.all()
    with pytest.raises(ChangedMeanwhileError):
        batch_undo(batch=batch)
    assert shelf.all() == before


def test_an_undo_follows_a_file_to_its_new_name(shelf: Shelf) -> None:
    batch = shelf.write("a.md", "second\n")
    shelf.rename("a.md", "new.md")
    batch_undo(batch=batch)
    assert shelf.all() == {"new.md": b"a\n", "b.md": b"b\n"}


def test_an_undo_of_what_is_undone_changes_nothing(shelf: Shelf) -> None:
    batch = shelf.write("c.md", "c\n")
    batch_undo(batch=batch)
    with pytest.raises((ChangedMeanwhileError, NothingToChangeError)):
        batch_undo(batch=batch)


def test_what_was_first_seen_cannot_be_undone(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "memory")
    shelf.outside("a.md", b"a\n")
    scan = shelf.scan()
    assert scan.batch
    with pytest.raises(NotUndoableError, match="first seen"):
        batch_undo(batch=scan.batch)


def test_the_directory_goes_back_to_any_moment(shelf: Shelf) -> None:
    states = {}
    for act in (lambda: big(shelf), lambda: shelf.write("c.md", "changed\n"), lambda: shelf.delete("d.md")):
        batch = act()
        states[batch.pk] = shelf.all()
    first, second, third = states
    for number in (first, second, third, first, third, second):
        memory_roll_back(directory=shelf.directory, to=Batch.objects.get(pk=number))
        assert shelf.all() == states[number]
    assert batches_of(shelf.directory).count() == Batch.objects.count()
    assert Version.objects.filter(parent__isnull=True).count() == 3


def test_a_deleted_file_with_a_name_that_nobody_can_read_comes_back_under_a_readable_one(shelf: Shelf) -> None:
    shelf.outside("gnp\u202e\nnotes.md", b"High.\n")
    shelf.scan()
    version = Version.objects.get(file__name="gnp\u202e\nnotes.md")
    shelf.delete("gnp\u202e\nnotes.md")
    version_restore(version=version, expected=None)
    assert shelf.read("gnp--notes.md") == b"High.\n"
    with pytest.raises(OutsideError, match="line breaks"):
        version_restore(version=version, expected=shelf.digest("gnp--notes.md"), name="again\u202e.md")
