"""The editor: the whole text, or a form for the header with the body, and the line of the index. A preview follows
while the user types; saving over somebody else's change leads to the merge page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from inspector.web.htmx import HtmxRequest, render_page
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import DirectoryGoneError, FileTroubleError
from memory.files.engine.newlines import encode_like, text_for_editing
from memory.files.engine.reading import INDEX_NAME, FileKind, MemoryFile, format_entry, parse_file, read_index
from memory.files.engine.reading.loaded_text import LONGEST_ENTRY, MOST_BYTES, MOST_LINES
from memory.files.engine.reading.pointers import find_pointer
from memory.files.engine.reading.topic_text import compose_new_topic, compose_topic
from memory.files.selectors.directory_reports import read_file
from memory.files.selectors.topics import TYPES
from memory.files.services.editing import PointerText, topic_save
from memory.files.services.writing import memory_open
from memory.files.views.conflict import clash_page, merged_text
from memory.files.views.file import why_uneditable
from memory.files.views.index_rows import index_rows
from memory.files.views.page_frame import (
    UNFIT,
    clean_topic_name,
    file_address,
    page_context,
    read_name,
    redirect_to_result,
    with_directory,
)
from memory.files.views.topic_links import topics_of
from memory.history.selectors.contents import content_of
from memory.history.services.batches import NothingToChangeError
from memory.models import Directory
from sessions.secrets.engine import mask
from sessions.text.engine.prose import render

MODES = ("fields", "whole")


@dataclass(frozen=True, slots=True)
class Draft:
    """The state of the editor: as read from the file, or as typed."""

    name: str
    expected: str
    """The digest of the opened file; empty for a new one."""
    mode: str
    """`fields`: a form for the header, and the body; `whole`: the file as one text."""
    text: str
    """The body, or all of it in the mode `whole`."""
    fields: dict[str, str]
    title: str
    hook: str
    is_listed: bool
    """Whether the index has a line for it."""

    @property
    def is_index(self) -> bool:
        return self.name == INDEX_NAME

    @property
    def pointer(self) -> PointerText | None:
        if not self.is_listed or self.is_index:
            return None
        return PointerText(self.title or self.fields.get("name", "") or self.name, self.hook)


@require_http_methods(["GET", "HEAD", "POST"])
@with_directory
def memory_edit(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if request.method == "POST":
        return _save(request, directory, _read_draft(request.POST))
    name = read_name(request)
    opened = memory_open(directory=directory, name=name)
    if opened is None:
        raise DirectoryGoneError(f"{name} is no longer there.")
    file = parse_file(name, opened.content.data)
    if why := why_uneditable(file):
        raise FileTroubleError(f"{name}: {why}")
    mode = request.GET.get("form", "")
    draft = _draft_of(
        directory,
        parse_file(name, text_for_editing(opened.content.data).encode()),
        opened.digest,
        mode if mode in MODES else "",
    )
    return _render_editor(request, directory, draft)


@require_http_methods(["GET", "HEAD", "POST"])
@with_directory
def memory_new(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if request.method == "POST":
        typed = _read_draft(request.POST)
        name = clean_topic_name(request.POST.get("name", ""))
        if not name:
            return _render_editor(request, directory, typed, wrong="Give the file a name.")
        draft = Draft(name, "", typed.mode, typed.text, typed.fields, typed.title, typed.hook, typed.is_listed)
        return _save(request, directory, draft)
    name = read_name(request)
    fields = {"name": "", "description": "", "type": "project"}
    text = "# Memory\n" if name == INDEX_NAME else ""
    mode = "whole" if name == INDEX_NAME else "fields"
    return _render_editor(request, directory, Draft(name, "", mode, text, fields, "", "", name != INDEX_NAME))


@require_POST
@with_directory
def memory_preview(request: HtmxRequest, directory: Directory) -> HttpResponse:
    return render_page(request, "memory/files/edit.html#preview", _preview(directory, _read_draft(request.POST)))


def _save(request: HtmxRequest, directory: Directory, draft: Draft) -> HttpResponse:
    try:
        batch = topic_save(
            directory=directory,
            name=draft.name,
            text=_text_with_time(draft),
            expected=draft.expected or None,
            pointer=draft.pointer,
        )
    except ChangedMeanwhileError as error:
        error = _without_time(error, draft)
        clash = error.clashes[0]
        # The next attempt starts from the current text.
        memory_open(directory=directory, name=draft.name)
        if request.POST.get("merging") == "1" and request.POST.get("seen") == (clash.expected or "gone"):
            return _merge(request, directory, draft, error)
        return clash_page(request, directory, error.clashes, draft=draft)
    except NothingToChangeError as error:
        return _render_editor(request, directory, draft, wrong=str(error), status=200)
    except FileTroubleError as error:
        return _render_editor(request, directory, draft, wrong=str(error))
    return redirect_to_result(file_address(directory, draft.name), batch)


def _merge(request: HtmxRequest, directory: Directory, draft: Draft, error: ChangedMeanwhileError) -> HttpResponse:
    """Saves the merged text after the user has resolved all conflicts."""
    clash = error.clashes[0]
    if clash.theirs is None and request.POST.get(f"side-{clash.key}") == "theirs":
        return redirect("memory-detail", directory.pk)
    text = merged_text(request.POST, clash)
    if text is None:
        return clash_page(request, directory, error.clashes, draft=draft, wrong="Choose for every place.")
    whole = Draft(draft.name, clash.expected or "", "whole", text, {}, draft.title, draft.hook, draft.is_listed)
    if request.POST.get("then") == "edit":
        return _render_editor(request, directory, whole, status=200)
    return _save(request, directory, whole)


def _read_draft(posted: QueryDict) -> Draft:
    mode = posted.get("form", "")
    fields = {key: posted.get(key, "") for key in ("description", "type") if key in posted}
    if "title" in posted:
        fields["name"] = posted.get("title", "")
    return Draft(
        posted.get("name", ""),
        posted.get("expected", "")[:64],
        mode if mode in MODES else "whole",
        posted.get("text", "").replace("\r\n", "\n"),
        fields,
        posted.get("entry_title", "").strip(),
        posted.get("hook", "").strip(),
        posted.get("listed") == "1",
    )


def _draft_of(directory: Directory, file: MemoryFile, expected: str, mode: str) -> Draft:
    """`file`: with its text as the browser gets it."""
    is_topic = file.kind is FileKind.TOPIC
    mode = mode or ("fields" if is_topic else "whole")
    fields = {"name": file.header.get("name"), "description": file.description, "type": file.written_type}
    entry = find_pointer(_read_index(directory), file.name) if is_topic else None
    text = file.body.lstrip("\n") if mode == "fields" else file.text
    title, hook = (entry.title, entry.hook) if entry else (file.title, file.description)
    return Draft(file.name, expected, mode, text, fields, title, hook, entry is not None)


def _text_of(draft: Draft) -> str:
    """The whole text of the file as drafted."""
    if draft.mode == "whole":
        return draft.text
    if not draft.expected:
        return compose_new_topic(draft.name, draft.fields, draft.text)
    base = content_of(draft.expected)
    return compose_topic(parse_file(draft.name, text_for_editing(base or b"").encode()), draft.fields, draft.text)


def _text_with_time(draft: Draft) -> str:
    """Like `_text_of`, with the current time in a header that has one, as the agent does: it counts as the age."""
    text, base = _text_of(draft), content_of(draft.expected) if draft.mode == "fields" and draft.expected else None
    if base is None or text == text_for_editing(base):
        return text
    file = parse_file(draft.name, text.encode("utf-8", "surrogatepass"))
    if not file.header.get("modified"):
        return text
    return compose_topic(file, {"modified": timezone.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")})


def _without_time(error: ChangedMeanwhileError, draft: Draft) -> ChangedMeanwhileError:
    """Leaves the time of the save out of the conflict: nobody should have to choose between times."""
    clash = error.clashes[0]
    if clash.name != draft.name or clash.base is None:
        return error
    return ChangedMeanwhileError((replace(clash, ours=encode_like(_text_of(draft), clash.base)), *error.clashes[1:]))


def _read_index(directory: Directory) -> MemoryFile:
    return read_file(directory, INDEX_NAME) or parse_file(INDEX_NAME, b"")


def _render_editor(
    request: HtmxRequest, directory: Directory, draft: Draft, *, wrong: str = "", status: int | None = None
) -> HttpResponse:
    context = {
        **page_context(request, directory, "topics"),
        "draft": draft,
        "name": draft.name,
        "types": TYPES,
        "wrong": mask(wrong),
        **_preview(directory, draft),
    }
    response = render_page(request, "memory/files/edit.html", context)
    response.status_code = status or (UNFIT if wrong else 200)
    return response


def _preview(directory: Directory, draft: Draft) -> dict[str, Any]:
    """Previews the file: its rendered body, problems of its header, and the loaded part of an index."""
    text = _text_of(draft)
    file = parse_file(draft.name, text.encode("utf-8", "surrogatepass"))
    values: dict[str, Any] = {
        "draft": draft,
        "directory": directory,
        "file": file,
        "html": render(mask(file.body), topics_of(directory)),
        "problems": [problem for problem in file.problems if problem.rule != "not-utf-8"],
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
    }
    if draft.is_index:
        index = read_index(file)
        values |= {"index": index, "lines": index_rows(index, {entry.target for entry in index.entries})}
    elif draft.pointer:
        line = format_entry(draft.pointer.title, draft.name or "…", draft.pointer.hook)
        values |= {"line": mask(line), "line_long": len(line) > LONGEST_ENTRY}
    return values
