"""The page of one memory file: its text, its origin, its uses and its findings."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.htmx import HtmxRequest, render_page
from memory.files.engine.disk import FileTroubleError
from memory.files.engine.reading import INDEX_NAME, FileKind, MemoryFile, parse_file
from memory.files.selectors.directories import list_files
from memory.files.selectors.directory_reports import cached_report, read_index_of, report_of
from memory.files.services.writing import memory_open
from memory.files.views.directory import fix_key
from memory.files.views.page_frame import page_context, read_name, with_directory
from memory.files.views.topic_links import TopicLinks
from memory.history.selectors.history import HistoryMissingError, file_get
from memory.history.selectors.provenance import VersionOrigin, touches_of, version_origin
from memory.models import Directory, Version
from sessions.secrets.engine import mask
from sessions.text.engine.prose import render

SHOWN = 200_000
"""Characters of a file to show."""
LARGEST_EDIT = 1_000_000
"""Bytes of a file that can be edited in a form."""
MOST_TOUCHES = 30


@require_safe
@with_directory
def memory_file(request: HtmxRequest, directory: Directory) -> HttpResponse:
    name = read_name(request)
    context = {**page_context(request, directory, "topics"), "name": name}
    try:
        opened = memory_open(directory=directory, name=name)
    except FileTroubleError as error:
        return _render_unshown(request, context, str(error))
    if opened is None:
        return _render_absent(request, context, directory, name)
    version = opened.file.current
    assert version is not None
    file = parse_file(name, opened.content.data, mtime_ns=opened.content.status.mtime_ns)
    files = list_files(directory)
    index = read_index_of(directory, files)
    check = request.GET.get("check") == "1"
    report = report_of(directory, files) if check else cached_report(directory, files)
    findings = report.by_file.get(name, []) if report else None
    context |= {
        "file": file,
        "version": version,
        "is_index": file.kind is FileKind.INDEX,
        "position": index.positions.get(name) if index else None,
        "text": render(mask(file.body[:SHOWN]), TopicLinks(directory, {listed.name for listed in files}, index)),
        "left_out": max(0, len(file.body) - SHOWN),
        "uneditable": why_uneditable(file),
        "masked": mask(file.text[:SHOWN]) != file.text[:SHOWN],
        "findings": None
        if findings is None
        else [(finding, mask(finding.message), fix_key(finding.message)) for finding in findings],
        "linked": sorted({link.target for link in file.links}),
        "linking": _linking(report.contents.topics, name) if report else None,
        **_provenance(directory, name, version, opened.content.data),
    }
    return render_page(request, "memory/files/file.html", context, partials=("memory-facts",))


def why_uneditable(file: MemoryFile) -> str:
    """Why the file cannot be edited in a browser; empty if it can."""
    if b"\0" in file.data:
        return "It holds no text, so it cannot be edited here. It can be renamed, moved and deleted."
    if file.size > LARGEST_EDIT:
        return (
            f"It has {file.size:,} bytes, more than the {LARGEST_EDIT:,} that a form takes. "
            "Edit it with a program of your own: what it changes is kept in the history, too."
        )
    if b"\r" in file.data.replace(b"\r\n", b""):
        return "Some of its lines end in a lone carriage return, which a browser would change. Edit it elsewhere."
    return ""


def _linking(topics: tuple[MemoryFile, ...], name: str) -> list[str]:
    return sorted(topic.name for topic in topics if any(link.target == name for link in topic.links))


def _provenance(directory: Directory, name: str, version: Version, data: bytes) -> dict[str, Any]:
    touches = list(touches_of(directory, name)[: MOST_TOUCHES + 1])
    origin: VersionOrigin | None = version_origin(version, data)
    return {"origin": origin, "touches": touches[:MOST_TOUCHES], "more_touches": len(touches) > MOST_TOUCHES}


def _render_unshown(request: HtmxRequest, context: dict[str, Any], sentence: str) -> HttpResponse:
    return render_page(request, "memory/files/unshown.html", {**context, "sentence": mask(sentence)})


def _render_absent(request: HtmxRequest, context: dict[str, Any], directory: Directory, name: str) -> HttpResponse:
    """The file was deleted and has a history, or it never existed."""
    try:
        file = file_get(directory, name)
    except HistoryMissingError:
        file = None
    response = render_page(request, "memory/files/absent.html", {**context, "was": file, "index_name": INDEX_NAME})
    response.status_code = 404
    return response
