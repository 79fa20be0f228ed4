"""The history of memory: changes of a directory, versions of a file with diffs and authors, and buttons to restore
and undo."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import FileTroubleError
from memory.files.selectors.directories import directory_exists
from memory.files.services.scanning import memory_follow_one
from memory.files.views.conflict import clash_page, is_chosen, merged_bytes
from memory.files.views.page_frame import (
    file_address,
    page_context,
    read_name,
    redirect_to_result,
    sentence_of,
    with_directory,
)
from memory.history.selectors.history import (
    action_of,
    batch_get,
    batch_versions,
    batches_of,
    batches_versions,
    file_get,
    file_history,
    files_deleted,
    version_blame,
    version_diff,
    version_text,
)
from memory.history.services.restoration import batch_undo, memory_roll_back, version_restore
from memory.models import Batch, Cause, Directory, File, Version
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import Diff, Hunk, Line, mark_words
from sessions.text.engine.invisible_characters import spell_invisible

PER_PAGE = 30
MOST_LINES = 400
"""Lines of a diff, or of a text with its authors."""
LONGEST_LINE = 2_000
"""Characters."""
MOST_DELETED = 50
MOST_FILES = 20


class ChangedSinceError(FileTroubleError):
    """The page with the button is outdated."""


@dataclass(frozen=True, slots=True)
class VersionView:
    """A version for a page."""

    version: Version
    action: str
    diff: Diff | None = None


@require_safe
@with_directory
def memory_history(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if directory_exists(directory):
        memory_follow_one(directory=directory)
    name = read_name(request)
    if name:
        return _render_file_history(request, directory, file_get(directory, name))
    all_batches = batches_of(directory)
    page = page_of(page_number(request), size=PER_PAGE, total=all_batches.count())
    batches = list(all_batches.prefetch_related("undone_by")[page.start : page.stop])
    versions = batches_versions(batches)
    deleted = list(files_deleted(directory)[: MOST_DELETED + 1])
    changes = [_describe_change(batch, versions.get(batch.pk, [])) for batch in batches]
    context = {
        **page_context(request, directory, "history"),
        "page": page,
        "changes": changes,
        "deleted": deleted[:MOST_DELETED],
        "more_deleted": len(deleted) > MOST_DELETED,
        "first": Cause.FIRST,
    }
    return render_page(request, "memory/history/history.html", context)


@require_safe
@with_directory
def memory_version(request: HtmxRequest, directory: Directory, version: int) -> HttpResponse:
    """The text of a version, and the author of each line."""
    file_version = _version_get(directory, version)
    blame = version_blame(file_version)
    lines = list(enumerate(blame.lines[:MOST_LINES], start=1))
    runs = [
        (author, [(number, _shorten(spell_invisible(mask(line.text.rstrip("\n"))))) for number, line in run])
        for author, run in ((key, list(run)) for key, run in groupby(lines, key=lambda pair: pair[1].version))
    ]
    context = {
        **page_context(request, directory, "history"),
        "name": file_version.file.name,
        "version": file_version,
        "action": action_of(file_version),
        "message": sentence_of(file_version.batch),
        "runs": runs,
        "complete": blame.is_complete,
        "left_out": max(0, len(blame.lines) - MOST_LINES),
        "deleted": version_text(file_version) is None,
        "diff": masked_diff(version_diff(file_version)),
        "current": file_version.file.current_id == file_version.pk,
    }
    return render_page(request, "memory/history/version.html", context)


@require_POST
@with_directory
def memory_restore(request: HtmxRequest, directory: Directory, version: int) -> HttpResponse:
    """Restores a version of a file."""
    file_version = _version_get(directory, version)
    if directory_exists(directory):
        memory_follow_one(directory=directory)
    file = File.objects.select_related("current__blob").get(pk=file_version.file_id)
    if request.POST.get("current") != str(file.current_id):
        raise ChangedSinceError(f"{file.name} was changed meanwhile. Nothing was restored: look at its history again.")
    blob = file.current.blob if file.current and file.state == File.State.PRESENT else None
    batch = version_restore(
        version=file_version,
        expected=blob.digest if blob else None,
        name="" if blob else _free_name(file),
        message=f"Restored version {file_version.number} of {file_version.name}",
    )
    file.refresh_from_db()
    if file.state == File.State.DELETED:
        return redirect_to_result(reverse("memory-history", args=[directory.pk]), batch)
    return redirect_to_result(file_address(file.directory, file.name), batch)


@require_POST
@with_directory
def memory_back(request: HtmxRequest, directory: Directory, change: int) -> HttpResponse:
    """Rolls the whole directory back to its state right after a change."""
    batch = memory_roll_back(
        directory=directory, to=batch_get(change), message=f"Took the directory back to change {change}"
    )
    return redirect_to_result(reverse("memory-detail", args=[directory.pk]), batch)


@require_safe
@with_directory
def memory_change(request: HtmxRequest, directory: Directory, change: int) -> HttpResponse:
    batch = batch_get(change)
    versions = list(batch_versions(batch))
    page = page_of(page_number(request), size=PER_PAGE, total=len(versions))
    views = [
        VersionView(version, action_of(version), masked_diff(version_diff(version)))
        for version in versions[page.start : page.stop]
    ]
    context = {
        **page_context(request, directory, "history"),
        "batch": batch,
        "message": sentence_of(batch),
        "views": views,
        "page": page,
        "undone": Batch.objects.filter(undoes=batch, state=Batch.State.DONE).first(),
        "undoable": batch.state == Batch.State.DONE and batch.cause != Cause.FIRST,
    }
    return render_page(request, "memory/history/change.html", context)


@require_POST
@with_directory
def memory_undo(request: HtmxRequest, directory: Directory, change: int) -> HttpResponse:
    """Undoes a change as a whole. If a file was changed since, the merge page comes first."""
    batch = batch_get(change)
    try:
        undone = batch_undo(batch=batch, message=f"Undid “{sentence_of(batch)}”"[:200])
    except ChangedMeanwhileError as error:
        if request.POST.get("merging") != "1":
            return clash_page(request, directory, error.clashes, undoing=batch)
        posted = request.POST
        same = all(posted.get(f"seen-{clash.key}") == (clash.expected or "gone") for clash in error.clashes)
        if not same or not all(is_chosen(posted, clash) for clash in error.clashes):
            wrong = "Choose for every place." if same else "The files have changed once more. This is how they are now."
            return clash_page(request, directory, error.clashes, undoing=batch, wrong=wrong)
        resolved = {clash.key: merged_bytes(posted, clash) for clash in error.clashes}
        undone = batch_undo(batch=batch, resolved=resolved, message=f"Undid “{sentence_of(batch)}”"[:200])
    return redirect_to_result(reverse("memory-change", args=[directory.pk, undone.pk]), undone)


def _describe_change(batch: Batch, versions: list[Version]) -> tuple[Batch, str, list[VersionView], int]:
    """A change with its first few files, and the number of further ones."""
    few = [VersionView(version, action_of(version)) for version in versions[:MOST_FILES]]
    return batch, sentence_of(batch), few, len(versions) - len(few)


def _render_file_history(request: HtmxRequest, directory: Directory, file: File) -> HttpResponse:
    versions = file_history(file)
    page = page_of(page_number(request), size=PER_PAGE, total=versions.count())
    views = [
        VersionView(version, action_of(version), masked_diff(version_diff(version)))
        for version in versions[page.start : page.stop]
    ]
    context = {
        **page_context(request, directory, "history"),
        "name": file.name,
        "file": file,
        "gone": file.state == File.State.DELETED,
        "views": views,
        "page": page,
    }
    return render_page(request, "memory/history/versions.html", context)


def _version_get(directory: Directory, number: int) -> Version:
    rows = Version.objects.select_related("file__directory", "batch", "blob", "parent", "transcript", "directory")
    version = rows.defer("blob__data", "transcript__state", "transcript__ruler").filter(pk=number).first()
    if version is None or directory.pk not in (version.directory_id, version.file.directory_id):
        raise Http404(f"There is no version {number} here.")
    return version


def masked_diff(diff: Diff) -> Diff:
    """A diff for a page: shortened, with secrets masked and changed words marked."""
    hunks = [
        Hunk(
            hunk.old,
            hunk.new,
            tuple(Line(line.kind, ((spell_invisible(mask(line.text)), False),)) for line in hunk.lines),
        )
        for hunk in diff.head(MOST_LINES).hunks
    ]
    return Diff(tuple(mark_words(hunk) for hunk in Diff(tuple(hunks)).narrow(LONGEST_LINE).hunks))


def _shorten(text: str) -> str:
    left = len(text) - LONGEST_LINE
    return f"{text[:LONGEST_LINE]}… {left:,} more characters" if left > 0 else text


def _free_name(file: File) -> str:
    """A name for a restored file if its own is taken; empty if it is free."""
    names = set(File.objects.filter(directory=file.directory, state=File.State.PRESENT).values_list("name", flat=True))
    if file.name not in names:
        return ""
    stem, dot, end = file.name.rpartition(".")
    stem, end = (stem, dot + end) if dot else (file.name, "")
    return next(name for number in range(2, len(names) + 3) if (name := f"{stem}-{number}{end}") not in names)
