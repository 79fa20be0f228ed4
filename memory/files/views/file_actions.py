"""What a person does to topics beside editing them: rename, move, merge, split, prune, and put findings right. Looking
is a GET that shows what would come of it; only the button posts."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import whole_number
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import FileTroubleError, NotThereError, digest_of
from memory.files.engine.newlines import text_for_editing
from memory.files.engine.reading import (
    INDEX_NAME,
    MemoryFile,
    parse_file,
    read_index,
)
from memory.files.engine.reading.pointers import without_pointers
from memory.files.engine.reading.topic_text import compose_new_topic, merge_topics, split_topic
from memory.files.selectors.directories import (
    directories_shown,
    directory_get,
    files_listed,
    name_of,
)
from memory.files.selectors.directory_reports import Shelf, file_now, shelf_of
from memory.files.services.editing import (
    FixGoneError,
    Pointer,
    finding_fix,
    topic_move,
    topic_rename,
    topic_split,
    topics_merge,
    topics_prune,
)
from memory.files.services.writing import memory_open
from memory.files.views.directory import fix_key
from memory.files.views.file import uneditable
from memory.files.views.page_frame import (
    UNFIT,
    file_address,
    frame,
    name_asked,
    new_name,
    of_directory,
    seen,
)
from memory.history.views.history import masked_diff
from memory.models import Batch, Directory
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import from_texts

MOST_PRUNED = 500
METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(METHODS)
@of_directory
def memory_rename(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _there(directory, name_asked(request))
    to = new_name(request.POST.get("to", ""))
    wrong = ""
    if request.method == "POST":
        try:
            if not to or to == file.name:
                raise FileTroubleError("Give it another name.")
            batch = topic_rename(
                directory=directory, read=_shelf(directory).read, name=file.name, to=to, expected=_expected(request)
            )
            return seen(file_address(directory, to), batch)
        except FileTroubleError as error:
            wrong = str(error)
    linking = [topic.name for topic in _shelf(directory).read.topics if _links(topic, {file.name})]
    return _asked(request, directory, "rename", file, wrong, to=to or file.name, linking=linking)


@require_http_methods(METHODS)
@of_directory
def memory_move(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _there(directory, name_asked(request))
    others = [(one, name_of(one)) for one in directories_shown().exclude(pk=directory.pk)]
    wrong = ""
    if request.method == "POST":
        try:
            into = directory_get(whole_number(request.POST.get("into", "")) or 0)
            batch = topic_move(directory=directory, into=into, name=file.name, expected=_expected(request))
            return seen(file_address(into, file.name), batch)
        except ValueError:
            wrong = "Choose where it shall go."
        except FileTroubleError as error:
            wrong = str(error)
    return _asked(request, directory, "move", file, wrong, others=others)


@require_http_methods(METHODS)
@of_directory
def memory_merge(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _there(directory, name_asked(request))
    other_name = name_asked(request, "other")
    if not other_name:
        names = [one.name for one in files_listed(directory) if one.name not in (file.name, INDEX_NAME)]
        return _asked(request, directory, "merge-with", file, "", names=names[:2_000])
    other = _there(directory, other_name)
    if why := uneditable(file) or uneditable(other):
        raise FileTroubleError(why)
    text, wrong = request.POST.get("text", "").replace("\r\n", "\n"), ""
    if request.method == "POST":
        try:
            batch = topics_merge(
                directory=directory,
                read=_shelf(directory).read,
                name=file.name,
                other=other.name,
                text=text,
                expected=_expected(request),
                other_expected=request.POST.get("other_expected", "")[:64],
            )
            return seen(file_address(directory, file.name), batch)
        except FileTroubleError as error:
            wrong = str(error)
    return _asked(
        request,
        directory,
        "merge",
        file,
        wrong,
        other=other,
        other_expected=digest_of(other.data),
        other_body=mask(other.body),
        body=mask(file.body),
        text=text or merge_topics(_plain(file), _plain(other)),
    )


@require_http_methods(METHODS)
@of_directory
def memory_split(request: HtmxRequest, directory: Directory) -> HttpResponse:
    file = _there(directory, name_asked(request))
    if why := uneditable(file):
        raise FileTroubleError(why)
    posted, wrong = request.POST, ""
    to, title, about = new_name(posted.get("to", "")), posted.get("title", ""), posted.get("description", "")
    at = whole_number(posted.get("line", "")) or 0
    if request.method == "POST":
        try:
            head, rest = split_topic(_plain(file), at)
            if not to or to == file.name:
                raise FileTroubleError("Give the new file a name.")
            fields = {"name": title or to.removesuffix(".md"), "description": about, "type": file.written_type}
            batch = topic_split(
                directory=directory,
                name=file.name,
                expected=_expected(request),
                head=head,
                to=to,
                text=compose_new_topic(to, fields, rest),
                pointer=Pointer(fields["name"], about),
            )
            return seen(file_address(directory, to), batch)
        except ValueError:
            wrong = "Choose the line with which the new file begins."
        except FileTroubleError as error:
            wrong = str(error)
    cuts = _cuts(file)
    lines = [(line.number, mask(line.text), line.number in cuts) for line in file.body_lines]
    return _asked(request, directory, "split", file, wrong, lines=lines, at=at, to=to, new_title=title, about=about)


@require_http_methods(METHODS)
@of_directory
def memory_prune(request: HtmxRequest, directory: Directory) -> HttpResponse:
    """One file or many: what the index becomes is shown first."""
    names = list(dict.fromkeys((request.POST if request.method == "POST" else request.GET).getlist("name")))
    wrong = ""
    if request.method == "POST" and names:
        digests = request.POST.getlist("expected")
        try:
            batch = topics_prune(directory=directory, files=dict(zip(names, digests, strict=False)))
            return seen(reverse("memory-detail", args=[directory.pk]), batch)
        except (NotThereError, ChangedMeanwhileError) as error:
            wrong = f"{error} This is how it is now."
        except FileTroubleError as error:
            wrong = str(error)
    # Each of them is opened, so that what is deleted is in the history by then.
    opened = {name: memory_open(directory=directory, name=name) for name in names[:MOST_PRUNED]}
    files = [(parse_file(name, one.found.data), one.digest) for name, one in opened.items() if one]
    context = {
        **frame(request, directory, "topics"),
        "files": [(file, mask(file.description), digest) for file, digest in files],
        "missing": [name for name, one in opened.items() if one is None],
        "wrong": mask(wrong),
        "most": MOST_PRUNED if len(names) > MOST_PRUNED else 0,
        **_index_after(directory, {file.name for file, _ in files}),
    }
    response = render_page(request, "memory/prune.html", context)
    response.status_code = UNFIT if wrong else 200
    return response


@require_POST
@of_directory
def memory_fix(request: HtmxRequest, directory: Directory) -> HttpResponse:
    """Does what a finding's button says, if it is still found."""
    shelf = _shelf(directory)
    rule, name, key = (request.POST.get(one, "") for one in ("rule", "file", "key"))
    found = [one for one in shelf.findings if (one.rule, one.file, fix_key(one.message)) == (rule, name, key)]
    if not found:
        raise FixGoneError("That is no longer found: the file has changed, or it was put right already.")
    batch: Batch = finding_fix(directory=directory, read=shelf.read, finding=found[0])
    return seen(_back(request, directory), batch)


def _back(request: HtmxRequest, directory: Directory) -> str:
    """Only to pages of this directory."""
    if request.POST.get("back") == "file":
        return file_address(directory, request.POST.get("file", ""), check=1)
    return reverse("memory-findings", args=[directory.pk])


def _index_after(directory: Directory, names: set[str]) -> dict[str, Any]:
    index = file_now(directory, INDEX_NAME)
    if index is None or not names:
        return {"index": None}
    after = parse_file(INDEX_NAME, without_pointers(index, names) or index.data)
    before, later = read_index(index), read_index(after)
    linking = [
        topic.name for topic in _shelf(directory).read.topics if topic.name not in names and _links(topic, names)
    ]
    return {
        "index": before,
        "later": later,
        "diff": masked_diff(from_texts(text_for_editing(index.data), text_for_editing(after.data))),
        "linking": linking,
    }


def _there(directory: Directory, name: str) -> MemoryFile:
    """As it is now, and in the history by then."""
    opened = memory_open(directory=directory, name=name)
    if opened is None:
        raise NotThereError(f"{name} is not there.")
    return parse_file(name, opened.found.data, mtime_ns=opened.found.status.mtime_ns)


def _cuts(file: MemoryFile) -> set[int]:
    """The lines with which a new file can begin: something stands before them."""
    solid = [line.number for line in file.body_lines if line.text.strip()]
    return set(solid[1:])


def _plain(file: MemoryFile) -> MemoryFile:
    """The file as a browser gets it."""
    return parse_file(file.name, text_for_editing(file.data).encode())


def _expected(request: HtmxRequest) -> str:
    return request.POST.get("expected", "")[:64]


def _shelf(directory: Directory) -> Shelf:
    return shelf_of(directory, files_listed(directory))


def _links(topic: MemoryFile, names: set[str]) -> bool:
    return any(link.target in names for link in topic.links)


def _asked(
    request: HtmxRequest, directory: Directory, act: str, file: MemoryFile, wrong: str, **more: Any
) -> HttpResponse:
    context = {
        **frame(request, directory, "topics"),
        "act": act,
        "name": file.name,
        "file": file,
        "expected": digest_of(file.data),
        "wrong": mask(wrong),
        **more,
    }
    response = render_page(request, "memory/act.html", context)
    response.status_code = UNFIT if wrong else 200
    return response
