"""Actions on topics other than editing: rename, move, merge, split, prune, and fix findings. A GET shows the result
beforehand; only the button posts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import whole_number
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import FileTroubleError, NotThereError, digest_of
from memory.files.engine.newlines import text_for_editing
from memory.files.engine.reading import INDEX_NAME, MemoryFile, parse_file, read_index
from memory.files.engine.reading.pointers import without_pointers
from memory.files.engine.reading.topic_text import compose_new_topic, merge_topics, split_topic
from memory.files.selectors.directories import list_files, name_of, visible_directories
from memory.files.selectors.directory_reports import DirectoryReport, read_file, report_of
from memory.files.services.editing import (
    FixGoneError,
    PointerText,
    finding_fix,
    topic_move,
    topic_rename,
    topic_split,
    topics_merge,
    topics_prune,
)
from memory.files.services.writing import memory_open
from memory.files.views.directory import fix_key
from memory.files.views.file import why_uneditable
from memory.files.views.page_frame import (
    UNFIT,
    clean_topic_name,
    file_address,
    page_context,
    read_name,
    redirect_to_result,
    with_directory,
)
from memory.history.views.history import masked_diff
from memory.models import Batch, Directory
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import from_texts

MOST_PRUNED = 500
METHODS = ["GET", "HEAD", "POST"]


class MoveForm(forms.Form):
    """Which directory a topic moves to."""

    def __init__(self, directories: QuerySet[Directory], data: QueryDict) -> None:
        super().__init__(data)
        messages = dict.fromkeys(("required", "invalid_choice"), "Choose where it shall go.")
        self.fields["into"] = forms.ModelChoiceField(directories, error_messages=messages)


@require_http_methods(METHODS)
@with_directory
def memory_rename(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _open_file(directory, read_name(request))
    to = clean_topic_name(request.POST.get("to", ""))
    wrong = ""
    if request.method == "POST":
        try:
            if not to or to == file.name:
                raise FileTroubleError("Give it another name.")
            batch = topic_rename(
                directory=directory,
                read=_report(directory).contents,
                name=file.name,
                to=to,
                expected=_expected_digest(request),
            )
            return redirect_to_result(file_address(directory, to), batch)
        except FileTroubleError as error:
            wrong = str(error)
    linking = [topic.name for topic in _report(directory).contents.topics if _links_to(topic, {file.name})]
    return _render_action(request, directory, "rename", file, wrong, to=to or file.name, linking=linking)


@require_http_methods(METHODS)
@with_directory
def memory_move(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _open_file(directory, read_name(request))
    others = visible_directories().exclude(pk=directory.pk)
    form = MoveForm(others, request.POST)
    wrong = ""
    if request.method == "POST" and not form.is_valid():
        wrong = str(form.errors["into"][0])
    elif request.method == "POST":
        into = form.cleaned_data["into"]
        try:
            batch = topic_move(directory=directory, into=into, name=file.name, expected=_expected_digest(request))
            return redirect_to_result(file_address(into, file.name), batch)
        except FileTroubleError as error:
            wrong = str(error)
    choices = [(other, name_of(other)) for other in others]
    return _render_action(request, directory, "move", file, wrong, others=choices)


@require_http_methods(METHODS)
@with_directory
def memory_merge(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _open_file(directory, read_name(request))
    other_name = read_name(request, "other")
    if not other_name:
        names = [listed.name for listed in list_files(directory) if listed.name not in (file.name, INDEX_NAME)]
        return _render_action(request, directory, "merge-with", file, "", names=names[:2_000])
    other = _open_file(directory, other_name)
    if why := why_uneditable(file) or why_uneditable(other):
        raise FileTroubleError(why)
    text, wrong = request.POST.get("text", "").replace("\r\n", "\n"), ""
    if request.method == "POST":
        try:
            batch = topics_merge(
                directory=directory,
                read=_report(directory).contents,
                name=file.name,
                other=other.name,
                text=text,
                expected=_expected_digest(request),
                other_expected=request.POST.get("other_expected", "")[:64],
            )
            return redirect_to_result(file_address(directory, file.name), batch)
        except FileTroubleError as error:
            wrong = str(error)
    return _render_action(
        request,
        directory,
        "merge",
        file,
        wrong,
        other=other,
        other_expected=digest_of(other.data),
        other_body=mask(other.body),
        body=mask(file.body),
        text=text or merge_topics(_as_edited(file), _as_edited(other)),
    )


@require_http_methods(METHODS)
@with_directory
def memory_split(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _open_file(directory, read_name(request))
    if why := why_uneditable(file):
        raise FileTroubleError(why)
    posted, wrong = request.POST, ""
    to, title, about = clean_topic_name(posted.get("to", "")), posted.get("title", ""), posted.get("description", "")
    line = whole_number(posted.get("line", "")) or 0
    if request.method == "POST":
        try:
            head, rest = split_topic(_as_edited(file), line)
            if not to or to == file.name:
                raise FileTroubleError("Give the new file a name.")
            fields = {"name": title or to.removesuffix(".md"), "description": about, "type": file.written_type}
            batch = topic_split(
                directory=directory,
                name=file.name,
                expected=_expected_digest(request),
                head=head,
                to=to,
                text=compose_new_topic(to, fields, rest),
                pointer=PointerText(fields["name"], about),
            )
            return redirect_to_result(file_address(directory, to), batch)
        except ValueError:
            wrong = "Choose the line with which the new file begins."
        except FileTroubleError as error:
            wrong = str(error)
    cuts = _possible_cuts(file)
    lines = [(line.number, mask(line.text), line.number in cuts) for line in file.body_lines]
    return _render_action(
        request, directory, "split", file, wrong, lines=lines, at=line, to=to, new_title=title, about=about
    )


@require_http_methods(METHODS)
@with_directory
def memory_prune(request: HtmxRequest, directory: Directory) -> HttpResponse:
    """Deletes one file or many. The new index is shown first."""
    names = list(dict.fromkeys((request.POST if request.method == "POST" else request.GET).getlist("name")))
    wrong = ""
    if request.method == "POST" and names:
        digests = request.POST.getlist("expected")
        try:
            batch = topics_prune(directory=directory, files=dict(zip(names, digests, strict=False)))
            return redirect_to_result(reverse("memory-detail", args=[directory.pk]), batch)
        except (NotThereError, ChangedMeanwhileError) as error:
            wrong = f"{error} This is how it is now."
        except FileTroubleError as error:
            wrong = str(error)
    # Opening each file records it in the history before it is deleted.
    opened = {name: memory_open(directory=directory, name=name) for name in names[:MOST_PRUNED]}
    files = [
        (parse_file(name, opened_file.content.data), opened_file.digest)
        for name, opened_file in opened.items()
        if opened_file
    ]
    context = {
        **page_context(request, directory, "topics"),
        "files": [(file, mask(file.description), digest) for file, digest in files],
        "missing": [name for name, opened_file in opened.items() if opened_file is None],
        "wrong": mask(wrong),
        "most": MOST_PRUNED if len(names) > MOST_PRUNED else 0,
        **_index_after(directory, {file.name for file, _ in files}),
    }
    response = render_page(request, "memory/files/prune.html", context)
    response.status_code = UNFIT if wrong else 200
    return response


@require_POST
@with_directory
def memory_fix(request: HtmxRequest, directory: Directory) -> HttpResponse:
    """Applies the fix of a finding, if it still exists."""
    report = _report(directory)
    rule, name, key = (request.POST.get(field, "") for field in ("rule", "file", "key"))
    matches = [
        finding
        for finding in report.findings
        if (finding.rule, finding.file, fix_key(finding.message)) == (rule, name, key)
    ]
    if not matches:
        raise FixGoneError("That is no longer found: the file has changed, or it was put right already.")
    batch: Batch = finding_fix(directory=directory, read=report.contents, finding=matches[0])
    return redirect_to_result(_return_address(request, directory), batch)


def _return_address(request: HtmxRequest, directory: Directory) -> str:
    """Where to go afterwards: always a page of this directory."""
    if request.POST.get("back") == "file":
        return file_address(directory, request.POST.get("file", ""), check=1)
    return reverse("memory-findings", args=[directory.pk])


def _index_after(directory: Directory, names: set[str]) -> dict[str, Any]:
    index = read_file(directory, INDEX_NAME)
    if index is None or not names:
        return {"index": None}
    after = parse_file(INDEX_NAME, without_pointers(index, names) or index.data)
    before, later = read_index(index), read_index(after)
    linking = [
        topic.name
        for topic in _report(directory).contents.topics
        if topic.name not in names and _links_to(topic, names)
    ]
    return {
        "index": before,
        "later": later,
        "diff": masked_diff(from_texts(text_for_editing(index.data), text_for_editing(after.data))),
        "linking": linking,
    }


def _open_file(directory: Directory, name: str) -> MemoryFile:
    """The current file, which is also recorded in the history."""
    opened = memory_open(directory=directory, name=name)
    if opened is None:
        raise NotThereError(f"{name} is not there.")
    return parse_file(name, opened.content.data, mtime_ns=opened.content.status.mtime_ns)


def _possible_cuts(file: MemoryFile) -> set[int]:
    """The lines at which the file can be split: any text line but the first."""
    solid = [line.number for line in file.body_lines if line.text.strip()]
    return set(solid[1:])


def _as_edited(file: MemoryFile) -> MemoryFile:
    """The file with its text as the browser gets it."""
    return parse_file(file.name, text_for_editing(file.data).encode())


def _expected_digest(request: HtmxRequest) -> str:
    return request.POST.get("expected", "")[:64]


def _report(directory: Directory) -> DirectoryReport:
    return report_of(directory, list_files(directory))


def _links_to(topic: MemoryFile, names: set[str]) -> bool:
    return any(link.target in names for link in topic.links)


def _render_action(
    request: HtmxRequest, directory: Directory, act: str, file: MemoryFile, wrong: str, **more: Any
) -> HttpResponse:
    context = {
        **page_context(request, directory, "topics"),
        "act": act,
        "name": file.name,
        "file": file,
        "expected": digest_of(file.data),
        "wrong": mask(wrong),
        **more,
    }
    response = render_page(request, "memory/files/file_action.html", context)
    response.status_code = UNFIT if wrong else 200
    return response
