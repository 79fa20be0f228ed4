"""What others change outside is noticed, costs rows only where something changed, and is undone like anything else."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.files.engine.disk import Folder
from memory.files.services.scanning import directories_of, memory_scan, memory_scan_below
from memory.history.selectors.history import file_get, file_history, version_blame
from memory.history.services.batch_recovery import temporaries_remove
from memory.history.services.restoration import batch_undo
from memory.models import Batch, Blob, Cause, Directory, File, Version
from sessions.archive.engine.durable_files import LEFT_SECONDS
from tests.memory.remembering import Shelf

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "projects" / "-home-dev-tidewatch" / "memory")


def settled(shelf: Shelf) -> None:
    """As if the files had been there for a while."""
    File.objects.update(read_ns=2**62)


def test_the_first_look_keeps_everything_and_the_next_writes_nothing(shelf: Shelf) -> None:
    for number in range(30):
        shelf.outside(f"{number}.md", b"%d\n" % number)
    first = shelf.scan()
    assert (first.files, first.read, len(first.versions)) == (30, 30, 30)
    assert {version.cause for version in first.versions} == {Cause.FIRST}
    settled(shelf)
    with CaptureQueriesContext(connection) as queries:
        second = shelf.scan()
    assert (second.files, second.read, second.rows) == (30, 0, 0)
    assert not any(query["sql"].startswith(("INSERT", "UPDATE", "DELETE")) for query in queries)
    assert len(queries) == 2


def test_a_look_costs_as_many_queries_for_many_files_as_for_few(shelf: Shelf) -> None:
    for number in range(600):
        shelf.outside(f"{number}.md", b"%d\n" % number)
    with CaptureQueriesContext(connection) as queries:
        shelf.scan()
    assert len(queries) < 40


def test_a_file_read_in_the_tick_in_which_it_changed_is_read_again(shelf: Shelf) -> None:
    shelf.outside("a.md", b"one")
    shelf.scan()
    status = (shelf.path / "a.md").stat()
    with (shelf.path / "a.md").open("r+b") as file:
        file.write(b"two")
    os.utime(shelf.path / "a.md", ns=(status.st_mtime_ns, status.st_mtime_ns))
    assert len(shelf.scan().versions) == 1


def test_changes_deletions_and_renames_become_versions_of_one_batch(shelf: Shelf) -> None:
    for name in ("changed.md", "deleted.md", "old-name.md"):
        shelf.outside(name, f"{name}\n".encode())
    shelf.scan()
    before = shelf.all()
    shelf.outside("changed.md", b"changed.md\nmore\n")
    (shelf.path / "deleted.md").unlink()
    (shelf.path / "old-name.md").rename(shelf.path / "new-name.md")
    shelf.outside("made.md", b"made\n")
    scan = shelf.scan()
    assert scan.batch
    assert {(version.name, version.number, version.blob_id is None) for version in scan.versions} == {
        ("changed.md", 2, False),
        ("deleted.md", 2, True),
        ("new-name.md", 2, False),
        ("made.md", 1, False),
    }
    assert {version.cause for version in scan.versions} == {Cause.OUTSIDE}
    batch_undo(batch=scan.batch)
    assert shelf.all() == before
    assert [version.name for version in file_history(file_get(shelf.directory, "old-name.md"))] == [
        "old-name.md",
        "new-name.md",
        "old-name.md",
    ]


def test_a_file_that_was_copied_and_deleted_counts_as_renamed(shelf: Shelf) -> None:
    shelf.outside("a.md", b"text\n")
    shelf.scan()
    shelf.outside("b.md", b"text\n")
    (shelf.path / "a.md").unlink()
    (version,) = shelf.scan().versions
    assert (version.name, version.number) == ("b.md", 2)


def test_a_change_of_mode_is_a_version_of_the_same_content(shelf: Shelf) -> None:
    shelf.outside("a.md", b"text\n")
    shelf.scan()
    os.chmod(shelf.path / "a.md", 0o600)
    (version,) = shelf.scan().versions
    assert (version.mode, Blob.objects.count()) == (0o600, 1)


def test_a_deleted_directory_is_remembered_and_brought_back(shelf: Shelf) -> None:
    shelf.outside("logs/2026/11/15.md", b"log\n")
    shelf.outside("a.md", b"text\n")
    shelf.scan()
    before = shelf.all()
    for name in before:
        (shelf.path / name).unlink()
    for folder in sorted(shelf.path.rglob("*"), reverse=True):
        folder.rmdir()
    shelf.path.rmdir()
    scan = shelf.scan()
    assert len(scan.versions) == 2
    assert shelf.scan().rows == 0
    assert scan.batch
    batch_undo(batch=scan.batch)
    assert shelf.all() == before


def test_hidden_files_links_and_pipes_are_left_alone(shelf: Shelf, tmp_path: Path) -> None:
    shelf.outside(".consolidate-lock", b"123")
    os.mkfifo(shelf.path / "pipe.md")
    (shelf.path / "link.md").symlink_to(tmp_path)
    assert (shelf.scan().files, Version.objects.count()) == (0, 0)


def test_names_that_are_no_text_are_kept(shelf: Shelf) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    shelf.outside(name, b"text\n")
    shelf.scan()
    (shelf.path / name).unlink()
    scan = shelf.scan()
    assert scan.batch
    batch_undo(batch=scan.batch)
    assert shelf.all() == {name: b"text\n"}


def test_a_large_file_is_kept_and_one_that_is_too_large_is_named(shelf: Shelf) -> None:
    shelf.outside("large.md", b"0123456789abcde\n" * 640_000)
    with (shelf.path / "huge.md").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    scan = shelf.scan()
    assert [version.name for version in scan.versions] == ["large.md"]
    assert Blob.objects.get().size == 10_240_000
    assert scan.skipped == ["huge.md has 68,157,440 bytes; 67,108,864 are the most that is kept."]


def test_every_line_names_the_version_that_brought_it(shelf: Shelf) -> None:
    shelf.outside("a.md", b"one\ntwo\n")
    shelf.scan()
    shelf.write("a.md", "zero\none\ntwo\n")
    shelf.delete("a.md")
    shelf.outside("a.md", b"zero\none\ntwo\nthree\n")
    shelf.scan()
    blame = version_blame(file_history(file_get(shelf.directory, "a.md"))[0])
    assert blame.is_complete
    assert [(line.text, line.version.number) for line in blame.lines] == [
        ("zero\n", 2),
        ("one\n", 1),
        ("two\n", 1),
        ("three\n", 4),
    ]


def test_the_memory_of_every_project_is_looked_at(shelf: Shelf, tmp_path: Path) -> None:
    projects = shelf.path.parents[1]
    shelf.outside("a.md", b"a\n")
    other = projects / "-home-dev-other" / "memory"
    other.mkdir(parents=True)
    (other / "b.md").write_bytes(b"b\n")
    (projects / "-home-dev-none").mkdir()
    assert sum(len(scan.versions) for scan in memory_scan_below(projects=projects)) == 2
    assert directories_of(projects, [other / "logs" / "c.md", projects / "-home-dev-none" / "x.jsonl"]) == {other}
    assert Batch.objects.count() == 2
    moved = other.rename(tmp_path / "moved")
    other.symlink_to(moved)
    shelf.outside("a.md", b"changed\n")
    ours, linked = memory_scan_below(projects=projects)
    assert (len(ours.versions), linked.versions) == (1, [])
    assert "link" in linked.skipped[0]


def test_a_directory_of_another_host_is_not_taken_for_gone(shelf: Shelf) -> None:
    shelf.outside("a.md", b"one")
    shelf.scan()
    Directory.objects.update(host="elsewhere")
    shutil.rmtree(shelf.path)
    memory_scan_below(projects=shelf.path.parents[1])
    directory = Directory.objects.get()
    assert memory_scan(directory=directory).versions == []
    assert File.objects.get().state == File.State.PRESENT
    Directory.objects.update(host="")
    memory_scan_below(projects=shelf.path.parents[1])
    assert File.objects.get().state == File.State.DELETED


def test_what_could_not_be_removed_beside_a_file_goes_when_it_is_old(shelf: Shelf) -> None:
    shelf.write("a.md", "old\n")
    batch = shelf.write("a.md", "new\n")
    known, unknown, part = (shelf.path / f".lucid-{batch.pk}-{end}" for end in ("0", "1", "2.part"))
    known.write_text("old\n")
    unknown.write_text("in no version\n")
    part.write_text("half of")
    shelf.scan()
    assert known.exists()  # another Lucid may be at work
    with Folder(shelf.path) as folder:
        temporaries_remove(folder, time.time() + 2 * LEFT_SECONDS)
    assert not known.exists()
    assert not part.exists()
    assert unknown.exists()
