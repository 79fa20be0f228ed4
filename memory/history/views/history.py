"""What happened to memory: the changes of a directory, the versions of a file with their diffs, who wrote each line,
and the buttons that bring something back."""

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
from memory.files.selectors.directories import is_there
from memory.files.services.scanning import memory_follow_one
from memory.files.views.conflict import clash_page, is_chosen, merged_bytes
from memory.files.views.frame import (
    file_address,
    frame,
    name_asked,
    of_directory,
    seen,
    sentence_of,
)
from memory.history.selectors.history import (
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
from memory.history.services.restoring import batch_undo, memory_roll_back, version_restore
from memory.models import (
    Batch,
    Cause,
    Directory,
    File,
    Version,
)
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import (
    Diff,
    Hunk,
    Line,
    mark_words,
)
from sessions.text.engine.invisible_characters import spell_invisible

PER_PAGE = 30
MOST_LINES = 400
"""Of a diff, or of a text with its authors."""
LONGEST_LINE = 2_000
"""Characters."""
MOST_DELETED = 50
MOST_FILES = 20


class ChangedSinceError(FileTroubleError):
    """The page that the button stood on is no longer true."""


@dataclass(frozen=True, slots=True)
class Told:
    """A version for a page."""

    version: Version
    action: str
    diff: Diff | None = None


@require_safe
@of_directory
def memory_history(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if is_there(directory):
        memory_follow_one(directory=directory)
    name = name_asked(request)
    if name:
        return _of_file(request, directory, file_get(directory, name))
    found = batches_of(directory)
    page = page_of(page_number(request), size=PER_PAGE, total=found.count())
    batches = list(found.prefetch_related("undone_by")[page.start : page.stop])
    versions = batches_versions(batches)
    deleted = list(files_deleted(directory)[: MOST_DELETED + 1])
    changes = [_change_told(batch, versions.get(batch.pk, [])) for batch in batches]
    context = {
        **frame(request, directory, "history"),
        "page": page,
        "changes": changes,
        "deleted": deleted[:MOST_DELETED],
        "more_deleted": len(deleted) > MOST_DELETED,
        "first": Cause.FIRST,
    }
    return render_page(request, "memory/history.html", context)


@require_safe
@of_directory
def memory_version(request: HtmxRequest, directory: Directory, version: int) -> HttpResponse:
    """What a file held then, and who wrote each of its lines."""
    shown = _version_get(directory, version)
    told = version_blame(shown)
    lines = list(enumerate(told.lines[:MOST_LINES], start=1))
    runs = [
        (author, [(number, _shortened(spell_invisible(mask(line.text.rstrip("\n"))))) for number, line in run])
        for author, run in ((key, list(run)) for key, run in groupby(lines, key=lambda pair: pair[1].version))
    ]
    context = {
        **frame(request, directory, "history"),
        "name": shown.file.name,
        "version": shown,
        "action": action_of(shown),
        "message": sentence_of(shown.batch),
        "runs": runs,
        "complete": told.complete,
        "left_out": max(0, len(told.lines) - MOST_LINES),
        "deleted": version_text(shown) is None,
        "diff": masked_diff(version_diff(shown)),
        "current": shown.file.current_id == shown.pk,
    }
    return render_page(request, "memory/version.html", context)


@require_POST
@of_directory
def memory_restore(request: HtmxRequest, directory: Directory, version: int) -> HttpResponse:
    """The file holds again what it held then."""
    wanted = _version_get(directory, version)
    if is_there(directory):
        memory_follow_one(directory=directory)
    file = File.objects.select_related("current__blob").get(pk=wanted.file_id)
    if request.POST.get("current") != str(file.current_id):
        raise ChangedSinceError(f"{file.name} was changed meanwhile. Nothing was restored: look at its history again.")
    blob = file.current.blob if file.current and file.state == File.State.PRESENT else None
    batch = version_restore(
        version=wanted,
        expected=blob.digest if blob else None,
        name="" if blob else _free_name(file),
        message=f"Restored version {wanted.number} of {wanted.name}",
    )
    file.refresh_from_db()
    if file.state == File.State.DELETED:
        return seen(reverse("memory-history", args=[directory.pk]), batch)
    return seen(file_address(file.directory, file.name), batch)


@require_POST
@of_directory
def memory_back(request: HtmxRequest, directory: Directory, change: int) -> HttpResponse:
    """The whole directory as it was right after a change."""
    batch = memory_roll_back(
        directory=directory, to=batch_get(change), message=f"Took the directory back to change {change}"
    )
    return seen(reverse("memory-detail", args=[directory.pk]), batch)


@require_safe
@of_directory
def memory_change(request: HtmxRequest, directory: Directory, change: int) -> HttpResponse:
    batch = batch_get(change)
    versions = list(batch_versions(batch))
    page = page_of(page_number(request), size=PER_PAGE, total=len(versions))
    told = [Told(one, action_of(one), masked_diff(version_diff(one))) for one in versions[page.start : page.stop]]
    context = {
        **frame(request, directory, "history"),
        "batch": batch,
        "message": sentence_of(batch),
        "told": told,
        "page": page,
        "undone": Batch.objects.filter(undoes=batch, state=Batch.State.DONE).first(),
        "undoable": batch.state == Batch.State.DONE and batch.cause != Cause.FIRST,
    }
    return render_page(request, "memory/change.html", context)


@require_POST
@of_directory
def memory_undo(request: HtmxRequest, directory: Directory, change: int) -> HttpResponse:
    """Takes a change back as a whole. Where somebody has changed a file since, a merge is shown first."""
    batch = batch_get(change)
    try:
        undone = batch_undo(batch=batch, message=f"Undid “{sentence_of(batch)}”"[:200])
    except ChangedMeanwhileError as error:
        if request.POST.get("merging") != "1":
            return clash_page(request, directory, error.clashes, undoing=batch)
        posted = request.POST
        same = all(posted.get(f"seen-{one.key}") == (one.expected or "gone") for one in error.clashes)
        if not same or not all(is_chosen(posted, one) for one in error.clashes):
            wrong = "Choose for every place." if same else "The files have changed once more. This is how they are now."
            return clash_page(request, directory, error.clashes, undoing=batch, wrong=wrong)
        resolved = {one.key: merged_bytes(posted, one) for one in error.clashes}
        undone = batch_undo(batch=batch, resolved=resolved, message=f"Undid “{sentence_of(batch)}”"[:200])
    return seen(reverse("memory-change", args=[directory.pk, undone.pk]), undone)


def action_of(version: Version) -> str:
    parent = version.parent
    if version.blob_id is None:
        return "deleted"
    if parent is None or parent.blob_id is None:
        return "made"
    if parent.directory_id != version.directory_id:
        return "moved"
    if parent.name != version.name:
        return "renamed"
    return "changed" if parent.blob_id != version.blob_id else "mode changed"


def _change_told(batch: Batch, versions: list[Version]) -> tuple[Batch, str, list[Told], int]:
    """With the first few of its files, and how many more there are."""
    few = [Told(one, action_of(one)) for one in versions[:MOST_FILES]]
    return batch, sentence_of(batch), few, len(versions) - len(few)


def _of_file(request: HtmxRequest, directory: Directory, file: File) -> HttpResponse:
    found = file_history(file)
    page = page_of(page_number(request), size=PER_PAGE, total=found.count())
    told = [Told(one, action_of(one), masked_diff(version_diff(one))) for one in found[page.start : page.stop]]
    context = {
        **frame(request, directory, "history"),
        "name": file.name,
        "file": file,
        "gone": file.state == File.State.DELETED,
        "told": told,
        "page": page,
    }
    return render_page(request, "memory/versions.html", context)


def _version_get(directory: Directory, number: int) -> Version:
    rows = Version.objects.select_related("file__directory", "batch", "blob", "parent", "transcript", "directory")
    found = rows.defer("blob__data", "transcript__state", "transcript__ruler").filter(pk=number).first()
    if found is None or directory.pk not in (found.directory_id, found.file.directory_id):
        raise Http404(f"There is no version {number} here.")
    return found


def masked_diff(diff: Diff) -> Diff:
    """Short enough for a page, secrets masked, changed words marked."""
    hunks = [
        Hunk(
            hunk.old,
            hunk.new,
            tuple(Line(line.kind, ((spell_invisible(mask(line.text)), False),)) for line in hunk.lines),
        )
        for hunk in diff.head(MOST_LINES).hunks
    ]
    return Diff(tuple(mark_words(hunk) for hunk in Diff(tuple(hunks)).narrow(LONGEST_LINE).hunks))


def _shortened(text: str) -> str:
    left = len(text) - LONGEST_LINE
    return f"{text[:LONGEST_LINE]}… {left:,} more characters" if left > 0 else text


def _free_name(file: File) -> str:
    """Its own, or the first that no other file has by now."""
    taken = set(File.objects.filter(directory=file.directory, state=File.State.PRESENT).values_list("name", flat=True))
    if file.name not in taken:
        return ""
    stem, dot, end = file.name.rpartition(".")
    stem, end = (stem, dot + end) if dot else (file.name, "")
    return next(name for number in range(2, len(taken) + 3) if (name := f"{stem}-{number}{end}") not in taken)
