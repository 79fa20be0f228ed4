"""What all pages of a memory directory share: its name, its neighbours, a toast for the last change, and a page for
errors of the file system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from inspector.web.htmx import HtmxRequest
from inspector.web.query import query_number
from memory.files.engine.disk import FileTroubleError
from memory.files.engine.reading import DirectoryMissingError
from memory.files.selectors.directories import directory_get, name_of, visible_directories
from memory.history.selectors.history import HistoryMissingError
from memory.models import Batch, Cause, Directory
from sessions.secrets.engine import mask
from sessions.transcripts.engine.paths import encode_path

CONFLICT = 409
UNFIT = 422
LONGEST_NAME = 300

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class UndoableChange:
    """The last change, which can be undone."""

    batch: Batch
    sentence: str


def page_context(request: HtmxRequest, directory: Directory | None = None, tab: str = "") -> dict[str, Any]:
    neighbours = [(neighbour, name_of(neighbour)) for neighbour in visible_directories()]
    return {
        "section": "memory",
        "directory": directory,
        "title": name_of(directory) if directory else "",
        "neighbours": neighbours,
        "tab": tab,
        "done": read_done(request),
    }


def read_done(request: HtmxRequest) -> UndoableChange | None:
    number = query_number(request, "done")
    if number is None:
        return None
    batch = Batch.objects.filter(pk=number, state=Batch.State.DONE).first()
    return UndoableChange(batch, sentence_of(batch)) if batch else None


def sentence_of(batch: Batch) -> str:
    """Describes a change."""
    if batch.message:
        return mask(batch.message)
    words = {Cause.UNDO: f"Change {batch.undoes_id} is undone", Cause.RESTORE: "Restored an earlier state"}
    return words.get(Cause(batch.cause), Cause(batch.cause).label.capitalize())


def read_name(request: HtmxRequest, key: str = "name") -> str:
    """Reads a file name from the form or the query, unvalidated."""
    return (request.POST.get(key) or request.GET.get(key) or "").replace("\0", "")[:LONGEST_NAME]


def clean_topic_name(typed: str) -> str:
    """Turns what the user typed into a file name."""
    name = encode_path(typed.strip()[:LONGEST_NAME])
    return name if not name or name.endswith(".md") else f"{name}.md"


def file_address(directory: Directory, name: str, view: str = "memory-file", **more: object) -> str:
    return f"{reverse(view, args=[directory.pk])}?{urlencode({'name': name, **more})}"


def redirect_to_result(address: str, batch: Batch) -> HttpResponseRedirect:
    """Redirects to the page that shows the result, with a toast."""
    mark = "&" if "?" in address else "?"
    response = HttpResponseRedirect(f"{address}{mark}done={batch.pk}")
    response.status_code = 303
    return response


def with_directory(
    view: Callable[Concatenate[HtmxRequest, Directory, P], HttpResponse],
) -> Callable[Concatenate[HtmxRequest, int, P], HttpResponse]:
    """Passes the directory with this number to the view, and shows an error page if its files cannot be accessed."""

    @wraps(view)
    def wrapped(request: HtmxRequest, /, number: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        directory = directory_get(number)
        try:
            return view(request, directory, *args, **kwargs)
        except (FileTroubleError, DirectoryMissingError) as error:
            return render_trouble(request, directory, str(error), CONFLICT)
        except HistoryMissingError as error:
            return render_trouble(request, directory, str(error), 404)

    return cast("Callable[Concatenate[HtmxRequest, int, P], HttpResponse]", wrapped)


def render_trouble(request: HtmxRequest, directory: Directory | None, sentence: str, status: int) -> HttpResponse:
    values = {**page_context(request, directory), "sentence": mask(sentence)}
    return render(request, "memory/files/trouble.html", values, status=status)
