"""The history of memory files: versions, the author of each line, and batches that can be undone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Max, QuerySet

from inspector.web.query import whole_number
from memory.files.engine.newlines import text_for_editing
from memory.history.engine.blame import BlamedLine, blame
from memory.history.selectors.contents import contents_of, version_content
from memory.models import Batch, Directory, File, Version
from sessions.text.engine.diffs import Diff, from_texts

MOST_BLAMED = 200
"""Versions that a blame examines. Older lines are attributed to the oldest of them."""


class HistoryMissingError(LookupError):
    """There is no file, version or batch of this name or number."""


@dataclass(frozen=True, slots=True)
class Blame:
    lines: tuple[BlamedLine[Version], ...]
    is_complete: bool
    """False if older versions were not examined, so that the first one may not be the author of its lines."""


def file_get(directory: Directory, name: str) -> File:
    """The file of this name, or else the last one that had it."""
    rows = File.objects.filter(directory=directory, name=name).select_related("current__blob", "directory")
    file = rows.defer("current__blob__data").order_by("-state", "-pk").first()
    if file is None:
        file = _find_by_former_name(directory, name)
    if file is None:
        raise HistoryMissingError(f"Nothing is known of {name}.")
    return file


def file_history(file: File) -> QuerySet[Version]:
    """The latest first."""
    rows = Version.objects.filter(file=file).select_related("batch", "blob", "parent", "transcript", "directory")
    return rows.defer("blob__data", "transcript__state", "transcript__ruler").order_by("-number")


def files_deleted(directory: Directory) -> QuerySet[File]:
    """Deleted files that can be restored, the latest first."""
    rows = File.objects.filter(directory=directory, state=File.State.DELETED)
    return rows.select_related("current__batch", "current__parent").order_by("-current__at", "-pk")


def batches_of(directory: Directory) -> QuerySet[Batch]:
    """What happened in a directory, the latest first. Attempts that failed are not among it."""
    rows = Batch.objects.filter(versions__directory=directory, state=Batch.State.DONE).distinct()
    return rows.order_by("-pk")


def batch_get(number: str | int) -> Batch:
    text = str(number)
    key = whole_number(text)
    batch = Batch.objects.filter(pk=key).first() if key is not None else None
    if batch is None:
        raise HistoryMissingError(f"There is no change {text}.")
    return batch


def batches_of_run(run_id: int) -> QuerySet[Batch]:
    return Batch.objects.filter(run_id=run_id, state=Batch.State.DONE).order_by("-pk")


def batch_versions(batch: Batch) -> QuerySet[Version]:
    rows = Version.objects.filter(batch=batch).select_related("file__directory", "blob", "parent__blob", "directory")
    return rows.defer("blob__data", "parent__blob__data").order_by("name", "pk")


def batches_versions(batches: Collection[Batch]) -> dict[int, list[Version]]:
    """By batch; one query."""
    rows = Version.objects.filter(batch__in=[batch.pk for batch in batches]).select_related("parent")
    by_batch: dict[int, list[Version]] = {}
    for version in rows.order_by("name", "pk"):
        by_batch.setdefault(version.batch_id, []).append(version)
    return by_batch


def versions_at(directory: Directory, batch: Batch) -> list[Version]:
    """The contents of the directory right after the batch."""
    ever = Version.objects.filter(directory=directory, batch__lte=batch.pk).values("file")
    last = (
        Version.objects.filter(file__in=ever, batch__lte=batch.pk)
        .values("file")
        .annotate(last=Max("pk"))
        .values("last")
    )
    rows = Version.objects.filter(pk__in=last, directory=directory, blob__isnull=False)
    return list(rows.order_by("name"))


def version_diff(version: Version, since: Version | None = None) -> Diff:
    """The diff to its parent, or to another version."""
    before = since or version.parent
    contents = contents_of(state for state in (version, before) if state)
    old = contents.get(before.blob_id or 0, b"") if before else b""
    return from_texts(text_for_editing(old), text_for_editing(contents.get(version.blob_id or 0, b"")))


def version_blame(version: Version) -> Blame:
    """The version that added each line of this version."""
    rows = file_history(version.file).filter(number__lte=version.number, blob__isnull=False)
    versions = list(rows[: MOST_BLAMED + 1])
    complete = len(versions) <= MOST_BLAMED
    versions = versions[:MOST_BLAMED][::-1]
    contents = contents_of(versions)
    texts = (
        (revision, text_for_editing(contents[revision.blob_id]))
        for revision in versions
        if revision.blob_id is not None
    )
    return Blame(blame(texts) if version.blob_id is not None else (), complete)


def version_text(version: Version) -> str | None:
    """None if the version is a deletion."""
    content = version_content(version)
    return None if content is None else text_for_editing(content)


def action_of(version: Version) -> str:
    """What happened to the file, in a word or two."""
    parent = version.parent
    if version.blob_id is None:
        return "deleted"
    if parent is None or parent.blob_id is None:
        return "created"
    if parent.directory_id != version.directory_id:
        return "moved"
    if parent.name != version.name:
        return "renamed"
    return "changed" if parent.blob_id != version.blob_id else "mode changed"


def _find_by_former_name(directory: Directory, name: str) -> File | None:
    """A file that had this name before it was renamed."""
    rows = Version.objects.filter(directory=directory, name=name).select_related("file__directory", "file__current")
    version = rows.order_by("-pk").first()
    return version.file if version else None
