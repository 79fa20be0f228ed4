"""Exports onto real disks: whatever goes wrong, nothing is lost, overwritten or left half-written."""

from __future__ import annotations

import json
import os
import resource
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from compaction.export.selectors import build_export_view, export_directory
from compaction.export.services import (
    ExportError,
    compaction_export,
    compaction_zip,
    link_exports_to_origin,
    parse_directory,
)
from compaction.kinds.engine import KindSpec, Parameters
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.selectors import compaction_get
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from compaction.models import Compaction, Export
from inspector.agents.choosing import ModelSettings
from sessions.context.engine import Log, context_at
from sessions.imports.services.sync import sync, sync_files
from sessions.models import Transcript
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000
LARGE = "a line of the tide table\n" * 400


def session(folder: Path, *, turns: int = 3, text: str = LARGE, said: str = "") -> Transcript:
    file = Written(project=folder / "projects" / "-home-dev-tidewatch", session=str(uuid5(NAMESPACE_URL, str(folder))))
    for number in range(turns):
        file.user(f"Question {number}: how high is the water? {said}")
        file.call("Read", f"toolu_{number}", file_path=f"/home/dev/tidewatch/{number}.csv")
        file.result(f"toolu_{number}", text)
        file.assistant(f"It is high, for the time of year ({number}).")
    path = file.save(file.path.parent, file.path.stem)
    path.write_bytes(path.read_bytes().replace(b"<half>", b"\\ud83d"))
    sync([file.project], workers=1)
    return Transcript.objects.get(source__path=str(path))


def compacted(transcript: Transcript, kind: KindSpec = BUDGET) -> Compaction:
    settings = {"per_result": "1000", "preview": "100"} if kind is BUDGET else {}
    stored = compaction_make(
        transcript=transcript,
        kind=kind,
        parameters=Parameters(settings=settings),
        summariser=summariser_choose(ModelSettings(claude="off")),
        now_ms=NOW,
    )
    assert stored.done
    return compaction_get(stored.pk)


@pytest.fixture
def stored(tmp_path: Path) -> Compaction:
    return compacted(session(tmp_path))


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """As on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_it_is_written_for_its_owner_alone_and_remembered(stored: Compaction, tmp_path: Path) -> None:
    written = compaction_export(compaction=stored, directory=tmp_path / "to", now_ms=NOW)
    assert len(written.results) == 3
    assert {path.stat().st_mode & 0o777 for path in (written.path, *written.results)} == {0o600}
    assert all(path.read_text() == LARGE for path in written.results)
    (record,) = Export.objects.all()
    assert (record.compaction, record.session_id, record.path) == (stored, written.session_id, str(written.path))
    *_, origin, title = map(json.loads, written.path.read_bytes().splitlines())
    assert (origin["attachment"]["session"], origin["attachment"]["kind"]) == (stored.transcript.session_id, "budget")
    assert title["customTitle"] == "Question 0: how high is the water?"


@pytest.mark.parametrize("size", [500, len(LARGE) + 1])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, size: int) -> None:
    """Once the texts do not fit, once the transcript does not."""
    stored = compacted(session(tmp_path, turns=20))
    with files_of_at_most(size), pytest.raises(ExportError, match="could not be written to: File too large"):
        compaction_export(compaction=stored, directory=tmp_path / "deep" / "down", now_ms=NOW)
    assert not (tmp_path / "deep").exists()
    assert not Export.objects.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written_to_is_refused(stored: Compaction, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(ExportError, match="could not be written to: Permission denied"):
        compaction_export(compaction=stored, directory=tmp_path / "closed", now_ms=NOW)


def test_a_place_that_nobody_can_write_to_is_refused(stored: Compaction) -> None:
    with pytest.raises(ExportError, match="/proc/lucid could not be written to"):
        compaction_export(compaction=stored, directory=Path("/proc/lucid"), now_ms=NOW)
    assert not Export.objects.exists()


def test_a_file_in_the_way_stays_as_it_is(stored: Compaction, tmp_path: Path) -> None:
    other = tmp_path / f"{stored.session_id}.jsonl"
    other.write_text("mine")
    written = compaction_export(compaction=stored, directory=tmp_path, now_ms=NOW)
    assert written.session_id != stored.session_id
    assert other.read_text() == "mine"


@pytest.mark.parametrize("name", ["{}.jsonl", "{}"])
def test_a_link_at_the_name_of_the_file_is_not_followed(stored: Compaction, tmp_path: Path, name: str) -> None:
    target = tmp_path / "to"
    target.mkdir()
    outside = tmp_path / "outside"
    (target / name.format(stored.session_id)).symlink_to(outside)
    written = compaction_export(compaction=stored, directory=target, now_ms=NOW)
    assert written.session_id != stored.session_id
    assert not outside.exists()
    assert written.path.is_file()


def test_a_link_to_a_directory_is_a_place_that_a_person_may_name(stored: Compaction, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    written = compaction_export(compaction=stored, directory=tmp_path / "link", now_ms=NOW)
    assert (tmp_path / "real" / written.path.name).is_file()
    assert str(tmp_path / "link") in written.path.read_text()


def test_halves_of_pairs_are_written(tmp_path: Path) -> None:
    stored = compacted(session(tmp_path, turns=1, text=f"half of a pair: <half>{LARGE}", said="And <half>?"))
    written = compaction_export(compaction=stored, directory=tmp_path / "to", now_ms=NOW)
    (text,) = written.results
    assert text.read_text().startswith("half of a pair: \N{REPLACEMENT CHARACTER}a line")
    assert "And" in context_at(Log(written.path.read_bytes())).messages[0].content[0]["text"]


def test_a_long_session_takes_as_many_queries_as_a_short_one(tmp_path: Path) -> None:
    counts = []
    for name, turns in (("short", 2), ("long", 400)):
        stored = compacted(session(tmp_path / name, turns=turns, text="short " * 300))
        with CaptureQueriesContext(connection) as queries:
            written = compaction_export(compaction=stored, directory=tmp_path / name / "to", now_ms=NOW)
        assert len(written.results) == turns
        counts.append(len(queries))
    assert counts[1] <= counts[0] + 2


def test_an_archive_holds_the_same(stored: Compaction, tmp_path: Path) -> None:
    file = BytesIO()
    new = compaction_zip(compaction=stored, file=file, now_ms=NOW)
    assert new != stored.session_id
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        assert names[-1] == f"{new}.jsonl"
        assert len(names) == 4
        assert archive.read(names[0]).decode() == LARGE
        home = Path(stored.transcript.source.path).parent
        assert f"{home}/{names[0]}" in archive.read(names[-1]).decode()
        archive.extractall(tmp_path / "elsewhere")
    assert len(context_at(Log((tmp_path / "elsewhere" / f"{new}.jsonl").read_bytes())).messages) == 12
    assert not Export.objects.exists()


def test_a_session_that_was_made_knows_where_it_comes_from(stored: Compaction, tmp_path: Path) -> None:
    written = compaction_export(compaction=stored, directory=tmp_path / "to", now_ms=NOW)
    link_exports_to_origin()
    sync_files([written.path])
    link_exports_to_origin()
    new = Transcript.objects.get(session_id=written.session_id)
    assert (new.forked_from, new.copies) == (stored.transcript, 0)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("relative/place", "Name the whole directory"),
        ("~nobody-of-that-name/x", "no home directory"),
        ("/tmp/a\0b", "NUL"),
        ("", "Name the whole directory"),
    ],
)
def test_what_names_no_place_is_refused_with_a_sentence(typed: str, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        parse_directory(typed)


def test_the_home_directory_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_directory(" ~/x ") == tmp_path / "x"


def test_it_goes_where_the_agent_looks(tmp_path: Path, settings: Settings) -> None:
    stored = compacted(session(tmp_path))
    settings.CLAUDE_CONFIG_DIR = tmp_path
    assert export_directory(stored.transcript) == tmp_path / "projects" / "-home-dev-tidewatch"
    settings.CLAUDE_CONFIG_DIR = tmp_path / "other"
    assert export_directory(stored.transcript) == tmp_path / "other" / "projects" / "-home-dev-tidewatch"
    settings.DEMO_DIR = tmp_path
    settings.LUCID_HOME = tmp_path / "home"
    assert export_directory(stored.transcript) == tmp_path / "home" / "exports" / "-home-dev-tidewatch"


def test_it_says_how_to_go_on(stored: Compaction, tmp_path: Path, settings: Settings) -> None:
    settings.CLAUDE_CONFIG_DIR = tmp_path / "config"
    Transcript.objects.update(cwd="/home/dev/it's tide; rm")
    stored.transcript.refresh_from_db()
    here = compaction_export(compaction=stored, directory=export_directory(stored.transcript), now_ms=NOW)
    there = compaction_export(compaction=stored, directory=tmp_path / "there", now_ms=NOW + 1)
    there.path.unlink()
    latest, first = build_export_view(stored).exports
    assert first.command == f"""cd '/home/dev/it'"'"'s tide; rm' && claude --resume {here.session_id}"""
    assert (first.is_present, first.expected_directory) == (True, "")
    assert (latest.is_present, latest.expected_directory) == (False, str(here.path.parent))
