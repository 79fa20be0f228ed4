"""What a write does: in one step, into the directory alone, in the style of the file, and never over somebody else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.files.engine.clash import ChangedMeanwhileError, encode_merged
from memory.files.engine.disk import AlreadyThereError, NotThereError, OutsideError, digest_of
from memory.files.services.writing import delete, memory_change, memory_open, memory_write, rename, write
from memory.history.selectors.contents import version_content
from memory.history.selectors.history import file_get, file_history
from memory.history.services.batches import NothingToChangeError
from memory.models import Batch, Blob, Cause, File, Version
from tests.memory.remembering import Shelf

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "memory")


def contents(shelf: Shelf, name: str) -> list[bytes | None]:
    """Of all versions, the first one first."""
    return [version_content(version) for version in file_history(file_get(shelf.directory, name))][::-1]


def test_a_new_file_is_made_with_its_first_version(shelf: Shelf) -> None:
    batch = shelf.write("tides.md", "High water.\n")
    assert shelf.all() == {"tides.md": b"High water.\n"}
    version = Version.objects.get()
    assert (version.number, version.cause, version.batch, version.parent) == (1, Cause.EDIT, batch, None)
    assert batch.state == Batch.State.DONE


def test_what_nobody_had_seen_is_stored_before_it_is_written_over(shelf: Shelf) -> None:
    shelf.outside("tides.md", b"From the agent.\n")
    shelf.write("tides.md", "From me.\n")
    assert contents(shelf, "tides.md") == [b"From the agent.\n", b"From me.\n"]
    assert [version.cause for version in Version.objects.order_by("pk")] == [Cause.FIRST, Cause.EDIT]


def test_the_same_content_is_stored_once(shelf: Shelf) -> None:
    shelf.write("a.md", "The same.\n")
    shelf.write("b.md", "The same.\n")
    assert Blob.objects.count() == 1


def test_mode_line_ends_and_byte_order_mark_stay(shelf: Shelf) -> None:
    shelf.outside("tides.md", b"\xef\xbb\xbfone\r\ntwo\r\n")
    os.chmod(shelf.path / "tides.md", 0o600)
    shelf.write("tides.md", "one\nthree\nfour\n")
    assert shelf.read("tides.md") == b"\xef\xbb\xbfone\r\nthree\r\nfour\r\n"
    assert (shelf.path / "tides.md").stat().st_mode & 0o777 == 0o600


def test_lines_that_are_no_text_keep_their_bytes(shelf: Shelf) -> None:
    shelf.outside("tides.md", b"caf\xe9\none\n")
    shelf.write("tides.md", "caf\ufffd\ntwo\n")
    assert shelf.read("tides.md") == b"caf\xe9\ntwo\n"


def test_a_file_that_changed_meanwhile_is_not_written_and_the_merge_is_given(shelf: Shelf) -> None:
    shelf.outside("tides.md", b"one\ntwo\nthree\n")
    opened = memory_open(directory=shelf.directory, name="tides.md")
    assert opened
    shelf.outside("tides.md", b"one\ntwo\nthree\nfrom the agent\n")
    with pytest.raises(ChangedMeanwhileError) as caught:
        memory_write(
            directory=shelf.directory, name="tides.md", content="mine\r\ntwo\r\nthree\r\n", expected=opened.digest
        )
    (clash,) = caught.value.clashes
    assert clash.merge
    assert clash.merge.is_clean
    assert encode_merged(clash.merge.text()) == b"mine\ntwo\nthree\nfrom the agent\n"
    assert str(caught.value) == "tides.md was changed meanwhile. Nothing was written."
    assert shelf.read("tides.md") == b"one\ntwo\nthree\nfrom the agent\n"


def test_lines_that_both_changed_are_a_conflict_with_all_three_texts(shelf: Shelf) -> None:
    shelf.outside("tides.md", b"one\n")
    opened = memory_open(directory=shelf.directory, name="tides.md")
    assert opened
    shelf.outside("tides.md", b"theirs\n")
    with pytest.raises(ChangedMeanwhileError) as caught:
        memory_write(directory=shelf.directory, name="tides.md", content="mine\n", expected=opened.digest)
    merge = caught.value.clashes[0].merge
    assert merge
    (conflict,) = merge.conflicts
    assert (conflict.base, conflict.ours, conflict.theirs) == (("one\n",), ("mine\n",), ("theirs\n",))


def test_a_file_that_appeared_meanwhile_is_not_written_over(shelf: Shelf) -> None:
    shelf.outside("tides.md", b"theirs\n")
    with pytest.raises(ChangedMeanwhileError):
        memory_write(directory=shelf.directory, name="tides.md", content="mine\n", expected=None)
    assert shelf.read("tides.md") == b"theirs\n"


def test_a_file_that_vanished_meanwhile_is_not_made_again(shelf: Shelf) -> None:
    with pytest.raises(ChangedMeanwhileError):
        memory_write(directory=shelf.directory, name="tides.md", content="mine\n", expected=digest_of(b"theirs\n"))
    with pytest.raises(NotThereError, match=r"tides\.md is no longer there"):
        memory_change(moves=[delete(shelf.directory, "tides.md", digest_of(b"theirs\n"))])
    assert shelf.all() == {}


def test_a_deleted_file_is_gone_and_its_history_stays(shelf: Shelf) -> None:
    shelf.write("tides.md", "High water.\n")
    shelf.delete("tides.md")
    assert shelf.all() == {}
    assert contents(shelf, "tides.md") == [b"High water.\n", None]
    assert file_get(shelf.directory, "tides.md").state == File.State.DELETED


def test_a_file_made_again_goes_on_with_its_history(shelf: Shelf) -> None:
    shelf.write("tides.md", "one\n")
    shelf.delete("tides.md")
    shelf.write("tides.md", "two\n")
    assert contents(shelf, "tides.md") == [b"one\n", None, b"two\n"]


def test_a_renamed_file_keeps_history_mode_and_age(shelf: Shelf) -> None:
    shelf.write("tides.md", "High water.\n")
    os.chmod(shelf.path / "tides.md", 0o600)
    os.utime(shelf.path / "tides.md", ns=(10**18, 10**18))
    shelf.rename("tides.md", "water/high.md")
    assert shelf.all() == {"water/high.md": b"High water.\n"}
    status = (shelf.path / "water/high.md").stat()
    assert (status.st_mode & 0o777, status.st_mtime_ns) == (0o600, 10**18)
    file = file_get(shelf.directory, "water/high.md")
    assert [version.name for version in file_history(file)] == ["water/high.md", "tides.md", "tides.md"]
    assert file_get(shelf.directory, "tides.md") == file


def test_a_rename_takes_no_name_that_is_taken(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    shelf.write("b.md", "b\n")
    with pytest.raises(AlreadyThereError, match=r"b\.md is already there"):
        shelf.rename("a.md", "b.md")
    assert shelf.all() == {"a.md": b"a\n", "b.md": b"b\n"}


def test_a_file_moves_to_another_directory_with_its_history(shelf: Shelf, tmp_path: Path) -> None:
    other = Shelf(tmp_path / "other")
    shelf.write("a.md", "a\n")
    memory_change(moves=[rename(shelf.directory, "a.md", "a.md", shelf.digest("a.md") or "", other.directory)])
    assert (shelf.all(), other.all()) == ({}, {"a.md": b"a\n"})
    assert len(contents(other, "a.md")) == 2


def test_several_files_are_one_batch(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    shelf.write("b.md", "b\n")
    batch = memory_change(
        moves=[
            rename(shelf.directory, "a.md", "b.md", digest_of(b"a\n")),
            rename(shelf.directory, "b.md", "a.md", digest_of(b"b\n")),
            write(shelf.directory, "MEMORY.md", "- [A](b.md)\n", None),
        ],
        message="Swap the names",
    )
    assert shelf.all() == {"a.md": b"b\n", "b.md": b"a\n", "MEMORY.md": b"- [A](b.md)\n"}
    assert batch.versions.count() == 3


def test_one_file_that_changed_keeps_all_of_a_batch_from_being_written(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    with pytest.raises(ChangedMeanwhileError):
        memory_change(
            moves=[
                write(shelf.directory, "new.md", "new\n", None),
                delete(shelf.directory, "a.md", digest_of(b"something else\n")),
            ]
        )
    assert shelf.all() == {"a.md": b"a\n"}
    assert Batch.objects.count() == 1


def test_a_write_that_changes_nothing_says_so_and_leaves_no_trace(shelf: Shelf) -> None:
    shelf.write("a.md", "a\n")
    with pytest.raises(NothingToChangeError):
        shelf.write("a.md", "a\r\n")
    assert Version.objects.count() == 1


@pytest.mark.parametrize(
    "name", ["../out.md", "/etc/out.md", "a/../../out.md", "", "a//b.md", ".hidden.md", "a\0.md", "..", "C:\\out.md"]
)
def test_names_that_lead_out_are_refused(shelf: Shelf, name: str) -> None:
    with pytest.raises(OutsideError):
        memory_write(directory=shelf.directory, name=name, content="out\n", expected=None)
    assert shelf.all() == {}


def test_links_are_not_followed(shelf: Shelf, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "a.md").write_text("secret\n")
    (shelf.path / "file.md").symlink_to(secret / "a.md")
    (shelf.path / "folder").symlink_to(secret)
    for name in ("file.md", "folder/a.md", "folder/new.md"):
        with pytest.raises(OutsideError, match="link"):
            memory_write(directory=shelf.directory, name=name, content="mine\n", expected=digest_of(b"secret\n"))
    assert os.listdir(secret) == ["a.md"]
    assert (secret / "a.md").read_text() == "secret\n"
    assert shelf.scan().versions == []


@pytest.mark.parametrize("name", ["two\nlines.md", "bell\x07.md", "gnp\u202e.md", "tab\there.md", "a\u2066/b.md"])
def test_a_name_that_nobody_can_read_is_refused(tmp_path: Path, name: str) -> None:
    shelf = Shelf(tmp_path / "memory")
    shelf.outside("tides.md", b"High.\n")
    with pytest.raises(OutsideError, match="Names of memory files must not"):
        memory_write(directory=shelf.directory, name=name, content=b"Low.\n", expected=None)
    with pytest.raises(OutsideError, match="Names of memory files must not"):
        memory_change(moves=[rename(shelf.directory, "tides.md", name, digest_of(b"High.\n"))])
    assert sorted(shelf.all()) == ["tides.md"]


def test_a_file_that_has_such_a_name_can_be_renamed_and_deleted(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "memory")
    shelf.outside("odd\u202e.md", b"High.\n")
    digest = digest_of(b"High.\n")
    memory_change(moves=[rename(shelf.directory, "odd\u202e.md", "plain.md", digest)])
    memory_change(moves=[delete(shelf.directory, "plain.md", digest)])
    assert shelf.all() == {}


def test_a_file_with_a_header_nested_without_end_can_be_read_and_deleted(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "memory")
    data = b"---\nname: " + b"[" * 320 + b"\n---\n"
    shelf.outside("deep.md", data)
    memory_change(moves=[delete(shelf.directory, "deep.md", digest_of(data))])
    assert shelf.all() == {}
