"""No row twice, whatever happens: for every table the key that makes a second one impossible, or why there is none."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor

from compaction.models import Compaction
from memory.models import Directory, NotesUpdate, Proposal, Version
from sessions.models import Mark, Project, Source, Transcript
from sessions.models.rowid import RowIdField

PLACE = "its id is its place: transcript and position, or source and number"
ONCE: dict[str, tuple[str, ...] | str] = {
    "transcripts.Source": ("host", "path"),
    "transcripts.Block": PLACE,
    "transcripts.Transcript": ("source",),
    "transcripts.Project": ("directory",),
    "transcripts.Entry": PLACE,
    "transcripts.Turn": PLACE,
    "transcripts.Mark": "transcript, range, fate and cause, with a cause that may be missing",
    "transcripts.Problem": ("transcript", "offset"),
    "transcripts.Oddity": ("transcript", "what", "name"),
    "transcripts.Request": ("transcript", "message_key"),
    "transcripts.Weighing": ("transcript",),
    "transcripts.Capture": ("exchange",),
    "transcripts.CaptureBlob": ("hash",),
    "transcripts.SharedImport": "it is forgotten with its import, of which each host has one at a time",
    "transcripts.Portion": "a row is taken by whoever locks it, and committed with what was read",
    "memory.Directory": ("path",),
    "memory.File": ("directory", "name"),
    "memory.Blob": ("digest",),
    "memory.Batch": "an action of its own each time: under the lock of memory, a second one finds nothing to change",
    "memory.Version": ("file", "number"),
    "memory.Proposal": ("run_id", "directory"),
    "memory.ProposedFile": ("proposal", "name"),
    "memory.DreamScan": ("directory",),
    "memory.Touch": ("transcript", "position", "place", "name", "kind"),
    "memory.Reached": ("transcript",),
    "memory.Extraction": ("transcript",),
    "memory.NotesUpdate": ("transcript", "run_id"),
    "compaction.Compaction": ("run_id",),
    "compaction.Export": "an event: its file is made anew, never written over, and a second export is another session",
    "compaction.CacheScan": ("transcript",),
    "compaction.CacheBreak": ("transcript", "message_key"),
    "compaction.Pin": ("transcript", "uuid"),
}
BEFORE = [("transcripts", "0008_block_hashes"), ("memory", "0005_hosts"), ("compaction", "0004_packed_hash")]


def _models() -> dict[str, type[models.Model]]:
    return {
        model._meta.label: model
        for label in ("transcripts", "memory", "compaction")
        for model in apps.get_app_config(label).get_models()
    }


def _keys(model: type[models.Model]) -> set[tuple[str, ...]]:
    unique = {(field.name,) for field in model._meta.local_fields if field.unique}
    return unique | {
        tuple(constraint.fields)
        for constraint in model._meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
    }


def test_every_table_says_why_no_row_can_be_in_it_twice() -> None:
    assert set(ONCE) == set(_models())


@pytest.mark.parametrize("label", [label for label, key in ONCE.items() if isinstance(key, tuple)])
def test_the_key_is_one_in_the_database(label: str) -> None:
    assert ONCE[label] in _keys(_models()[label])


@pytest.mark.parametrize("label", [label for label, key in ONCE.items() if key == PLACE])
def test_the_id_is_the_place(label: str) -> None:
    assert isinstance(_models()[label]._meta.pk, RowIdField)


@pytest.fixture
def transcript(db: None) -> Transcript:
    source = Source.objects.create(path="/one.jsonl", kind=Source.Kind.TRANSCRIPT)
    project = Project.objects.create(directory="/")
    return Transcript.objects.create(source=source, project=project, public_id="one", session_id="one")


def _twice(model: type[models.Model], **fields: Any) -> None:
    made = model._default_manager.create(**fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        model._default_manager.create(**fields)
    assert model._default_manager.filter(pk=made.pk).exists()


@pytest.mark.parametrize("by", [None, 7])
def test_a_mark_is_there_once(transcript: Transcript, by: int | None) -> None:
    _twice(Mark, transcript=transcript, first=1, last=3, fate="kept", by=by)


def test_what_a_run_makes_is_there_once(transcript: Transcript) -> None:
    directory = Directory.objects.create(path="/memory")
    _twice(Compaction, transcript=transcript, kind="full", run_id=5, position=1, created_at=1)
    _twice(Proposal, directory=directory, kind="dream", run_id=5, at=1)
    version = _version(directory)
    _twice(NotesUpdate, transcript=transcript, version=version, run_id=5, position=1, tokens=1, model_name="m", at=1)


def _version(directory: Directory) -> Version:
    batch = apps.get_model("memory.Batch").objects.create(cause="edit", at=1)
    file = directory.files.create(name="one.md")
    made: Version = file.versions.create(number=1, batch=batch, directory=directory, name="one.md", cause="edit", at=1)
    return made


@pytest.mark.django_db(transaction=True)
def test_what_was_twice_before_is_settled_and_nothing_but_copies_is_lost() -> None:
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    executor.migrate(BEFORE)
    try:
        _write_doubles(executor.loader.project_state(BEFORE).apps)
    finally:
        forward = MigrationExecutor(connection)
        forward.migrate(latest)
    assert Mark.objects.count() == 1
    assert sorted(Compaction.objects.values_list("run_id", flat=True), key=str) == [5, None]
    assert sorted(Proposal.objects.values_list("run_id", flat=True), key=str) == [5, None]


def _write_doubles(then: Any) -> None:
    source = then.get_model("transcripts.Source").objects.create(path="/one.jsonl", kind="transcript")
    project = then.get_model("transcripts.Project").objects.create(directory="/")
    transcript = then.get_model("transcripts.Transcript").objects.create(
        source=source, project=project, public_id="one", session_id="one"
    )
    directory = then.get_model("memory.Directory").objects.create(path="/memory")
    for _ in range(2):
        then.get_model("transcripts.Mark").objects.create(transcript=transcript, first=1, last=3, fate="kept")
        then.get_model("compaction.Compaction").objects.create(
            transcript=transcript, kind="full", run_id=5, position=1, created_at=1
        )
        then.get_model("memory.Proposal").objects.create(directory=directory, kind="dream", run_id=5, at=1)
