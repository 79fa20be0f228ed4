"""A large import reads the lines of all files first, and archives their bytes after that."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from sessions.archive.selectors.records import Reader
from sessions.imports.services import bulk
from sessions.imports.services.import_work import ImportWork
from sessions.imports.services.plan import Plan, Planner
from sessions.imports.services.report import Report
from sessions.imports.services.sync import sync
from sessions.models import Block, Entry, Source, Transcript
from sessions.search.selectors.deep_search import search_slice
from tests.sessions.writing import Writing, append

pytestmark = pytest.mark.django_db(transaction=True)


class CutOffError(Exception):
    pass


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "config" / "projects" / "-home-dev-tidewatch"


@pytest.fixture
def path(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that was read by an import which was cut off before it archived a byte."""
    writing = Writing()
    writing.user("How high is the harbour?")
    writing.turns(30)
    path = writing.save(project)

    def cut_off(_work: ImportWork) -> None:
        raise CutOffError

    with monkeypatch.context() as patch:
        patch.setattr(bulk, "LARGE_BYTES", 0)
        patch.setattr(ImportWork, "archive", cut_off)
        with pytest.raises(CutOffError):
            sync([project.parents[1]])
    assert Source.objects.get().owed
    assert not Block.objects.exists()
    return path


def finish(project: Path) -> Report:
    return sync([project.parents[1]])


def kept(source: Source) -> bytes:
    return Reader(source.pk).read(0, source.archived)


def test_a_large_import_ends_with_every_byte_archived(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "LARGE_BYTES", 0)
    paths = [Writing(session=f"{number}1111111-2222-4333-8444-555555555555").turns(9).save(project) for number in "123"]

    report = finish(project)

    assert report.failed == []
    assert {source.path: kept(source) for source in Source.objects.all()} == {str(p): p.read_bytes() for p in paths}
    assert not Source.objects.filter(owed=True).exists()
    assert finish(project).rows_written == 0


def test_its_sessions_can_be_read_before_that(path: Path, client: Client) -> None:
    transcript = Transcript.objects.get()

    page = client.get(f"/sessions/{transcript.public_id}/")

    assert page.status_code == 200
    assert "How high is the harbour?" in page.content.decode()
    assert [hit.position for hit in search_slice("How high is the harbour").hits] == [0]


def test_the_next_import_archives_them(path: Path, project: Path) -> None:
    entries = Entry.objects.count()

    report = finish(project)

    source = Source.objects.get()
    assert (report.new_entries, report.failed, source.owed) == (0, [], False)
    assert (kept(source), Entry.objects.count()) == (path.read_bytes(), entries)
    assert finish(project).rows_written == 0


def test_a_file_that_has_grown_since_is_read_on(path: Path, project: Path) -> None:
    append(path, Writing().turns(1).records[0] | {"uuid": "late", "parentUuid": None})

    report = finish(project)

    assert report.new_entries == 1
    assert kept(Source.objects.get()) == path.read_bytes()


def test_a_file_that_was_rewritten_since_is_read_anew(path: Path, project: Path) -> None:
    other = Writing()
    other.user("Another harbour altogether")
    path.unlink()
    other.save(project)

    report = finish(project)

    current = Source.objects.exclude(state=Source.State.REPLACED).get()
    assert (report.new_entries, current.owed) == (1, False)
    assert kept(current) == path.read_bytes()


def test_a_file_that_is_rewritten_while_it_is_archived_is_not_taken_for_what_was_read(
    path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = path.read_bytes()
    plan = Planner.plan

    def plan_then_rewrite(*args: object) -> Plan:
        planned = plan(*args)  # type: ignore[arg-type]
        path.write_bytes(b"x" * len(whole))
        return planned

    monkeypatch.setattr(Planner, "plan", plan_then_rewrite)

    report = finish(project)

    assert "rewritten" in report.failed[-1]
    assert Source.objects.get().owed


def test_a_file_that_is_gone_by_then_leaves_rows_without_their_bytes(path: Path, project: Path, client: Client) -> None:
    path.unlink()

    finish(project)

    transcript = Transcript.objects.get()
    assert transcript.source.state == Source.State.VANISHED
    assert client.get(f"/sessions/{transcript.public_id}/").status_code == 200
    assert client.get(f"/sessions/{transcript.public_id}/entries/L0/").status_code == 200
