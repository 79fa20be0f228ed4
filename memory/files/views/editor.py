"""The editor: the whole text, or the header as a form with the body, and the line of the index. What it would become is
shown while somebody types; a save over somebody else's change leads to the merge."""

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
from memory.files.engine.reading import (
    INDEX_NAME,
    FileKind,
    MemoryFile,
    format_entry,
    parse_file,
    read_index,
)
from memory.files.engine.reading.loaded_text import LONGEST_ENTRY, MOST_BYTES, MOST_LINES
from memory.files.engine.reading.pointers import find_pointer
from memory.files.engine.reading.topic_text import compose_new_topic, compose_topic
from memory.files.selectors.directory_reports import file_now
from memory.files.selectors.topics import TYPES
from memory.files.services.editing import Pointer, topic_save
from memory.files.services.writing import memory_open
from memory.files.views.conflict import clash_page, merged_text
from memory.files.views.file import uneditable
from memory.files.views.index_rows import index_lines
from memory.files.views.page_frame import (
    UNFIT,
    file_address,
    frame,
    name_asked,
    new_name,
    of_directory,
    seen,
)
from memory.files.views.topic_links import topics_of
from memory.history.selectors.contents import content_of
from memory.history.services.batches import NothingToChangeError
from memory.models import Directory
from sessions.secrets.engine import mask
from sessions.text.engine.prose import render

FORMS = ("fields", "whole")


@dataclass(frozen=True, slots=True)
class Form:
    """What the editor holds: as the file says it, or as somebody has typed it."""

    name: str
    expected: str
    """The digest of what was opened; empty for a new file."""
    form: str
    text: str
    """The body, or in the form `whole` all of it."""
    fields: dict[str, str]
    title: str
    hook: str
    listed: bool
    """Whether the index shall have a line for it."""

    @property
    def is_index(self) -> bool:
        return self.name == INDEX_NAME

    @property
    def pointer(self) -> Pointer | None:
        if not self.listed or self.is_index:
            return None
        return Pointer(self.title or self.fields.get("name", "") or self.name, self.hook)


@require_http_methods(["GET", "HEAD", "POST"])
@of_directory
def memory_edit(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if request.method == "POST":
        return _save(request, directory, _typed(request.POST))
    name = name_asked(request)
    opened = memory_open(directory=directory, name=name)
    if opened is None:
        raise DirectoryGoneError(f"{name} is no longer there.")
    file = parse_file(name, opened.found.data)
    if why := uneditable(file):
        raise FileTroubleError(f"{name}: {why}")
    kind = request.GET.get("form", "")
    form = _form_of(
        directory,
        parse_file(name, text_for_editing(opened.found.data).encode()),
        opened.digest,
        kind if kind in FORMS else "",
    )
    return _editor(request, directory, form)


@require_http_methods(["GET", "HEAD", "POST"])
@of_directory
def memory_new(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if request.method == "POST":
        typed = _typed(request.POST)
        name = new_name(request.POST.get("name", ""))
        if not name:
            return _editor(request, directory, typed, wrong="Give the file a name.")
        form = Form(name, "", typed.form, typed.text, typed.fields, typed.title, typed.hook, typed.listed)
        return _save(request, directory, form)
    name = name_asked(request)
    fields = {"name": "", "description": "", "type": "project"}
    text = "# Memory\n" if name == INDEX_NAME else ""
    kind = "whole" if name == INDEX_NAME else "fields"
    return _editor(request, directory, Form(name, "", kind, text, fields, "", "", name != INDEX_NAME))


@require_POST
@of_directory
def memory_preview(request: HtmxRequest, directory: Directory) -> HttpResponse:
    return render_page(request, "memory/edit.html#preview", _preview(directory, _typed(request.POST)))


def _save(request: HtmxRequest, directory: Directory, form: Form) -> HttpResponse:
    try:
        batch = topic_save(
            directory=directory,
            name=form.name,
            text=_stamped(form),
            expected=form.expected or None,
            pointer=form.pointer,
        )
    except ChangedMeanwhileError as error:
        error = _unstamped(error, form)
        clash = error.clashes[0]
        # What is there now is what the next attempt starts from.
        memory_open(directory=directory, name=form.name)
        if request.POST.get("merging") == "1" and request.POST.get("seen") == (clash.expected or "gone"):
            return _merge(request, directory, form, error)
        return clash_page(request, directory, error.clashes, form=form)
    except NothingToChangeError as error:
        return _editor(request, directory, form, wrong=str(error), status=200)
    except FileTroubleError as error:
        return _editor(request, directory, form, wrong=str(error))
    return seen(file_address(directory, form.name), batch)


def _merge(request: HtmxRequest, directory: Directory, form: Form, error: ChangedMeanwhileError) -> HttpResponse:
    """Somebody has chosen for every place where the two met."""
    clash = error.clashes[0]
    if clash.theirs is None and request.POST.get(f"side-{clash.key}") == "theirs":
        return redirect("memory-detail", directory.pk)
    text = merged_text(request.POST, clash)
    if text is None:
        return clash_page(request, directory, error.clashes, form=form, wrong="Choose for every place.")
    whole = Form(form.name, clash.expected or "", "whole", text, {}, form.title, form.hook, form.listed)
    if request.POST.get("then") == "edit":
        return _editor(request, directory, whole, status=200)
    return _save(request, directory, whole)


def _typed(posted: QueryDict) -> Form:
    form = posted.get("form", "")
    fields = {key: posted.get(key, "") for key in ("description", "type") if key in posted}
    if "title" in posted:
        fields["name"] = posted.get("title", "")
    return Form(
        posted.get("name", ""),
        posted.get("expected", "")[:64],
        form if form in FORMS else "whole",
        posted.get("text", "").replace("\r\n", "\n"),
        fields,
        posted.get("entry_title", "").strip(),
        posted.get("hook", "").strip(),
        posted.get("listed") == "1",
    )


def _form_of(directory: Directory, file: MemoryFile, expected: str, kind: str) -> Form:
    """`file`: as a browser gets it."""
    is_topic = file.kind is FileKind.TOPIC
    kind = kind or ("fields" if is_topic else "whole")
    fields = {"name": file.header.get("name"), "description": file.description, "type": file.written_type}
    entry = find_pointer(_index(directory), file.name) if is_topic else None
    text = file.body.lstrip("\n") if kind == "fields" else file.text
    title, hook = (entry.title, entry.hook) if entry else (file.title, file.description)
    return Form(file.name, expected, kind, text, fields, title, hook, entry is not None)


def _text_of(form: Form) -> str:
    """The whole text that the form asks for."""
    if form.form == "whole":
        return form.text
    if not form.expected:
        return compose_new_topic(form.name, form.fields, form.text)
    base = content_of(form.expected)
    return compose_topic(parse_file(form.name, text_for_editing(base or b"").encode()), form.fields, form.text)


def _stamped(form: Form) -> str:
    """With the time of now in a header that tells one, as the agent does it: by that its age is told."""
    text, base = _text_of(form), content_of(form.expected) if form.form == "fields" and form.expected else None
    if base is None or text == text_for_editing(base):
        return text
    file = parse_file(form.name, text.encode("utf-8", "surrogatepass"))
    if not file.header.get("modified"):
        return text
    return compose_topic(file, {"modified": timezone.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")})


def _unstamped(error: ChangedMeanwhileError, form: Form) -> ChangedMeanwhileError:
    """The time of a save is nothing that a person has to choose between."""
    clash = error.clashes[0]
    if clash.name != form.name or clash.base is None:
        return error
    return ChangedMeanwhileError((replace(clash, ours=encode_like(_text_of(form), clash.base)), *error.clashes[1:]))


def _index(directory: Directory) -> MemoryFile:
    return file_now(directory, INDEX_NAME) or parse_file(INDEX_NAME, b"")


def _editor(
    request: HtmxRequest, directory: Directory, form: Form, *, wrong: str = "", status: int | None = None
) -> HttpResponse:
    context = {
        **frame(request, directory, "topics"),
        "form": form,
        "name": form.name,
        "types": TYPES,
        "wrong": mask(wrong),
        **_preview(directory, form),
    }
    response = render_page(request, "memory/edit.html", context)
    response.status_code = status or (UNFIT if wrong else 200)
    return response


def _preview(directory: Directory, form: Form) -> dict[str, Any]:
    """What the file would be: its body as read, what is wrong with its header, and what is loaded of an index."""
    text = _text_of(form)
    file = parse_file(form.name, text.encode("utf-8", "surrogatepass"))
    values: dict[str, Any] = {
        "form": form,
        "directory": directory,
        "file": file,
        "html": render(mask(file.body), topics_of(directory)),
        "problems": [problem for problem in file.problems if problem.rule != "not-utf-8"],
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
    }
    if form.is_index:
        index = read_index(file)
        values |= {"index": index, "lines": index_lines(index, {one.target for one in index.entries})}
    elif form.pointer:
        line = format_entry(form.pointer.title, form.name or "…", form.pointer.hook)
        values |= {"line": mask(line), "line_long": len(line) > LONGEST_ENTRY}
    return values
