"""One memory directory: its index beside its topics, what is loaded of it, and what is wrong with it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from memory.files.engine.disk import DirectoryGoneError, digest_of
from memory.files.engine.reading import INDEX_NAME, Index
from memory.files.engine.reading.loaded_text import MOST_BYTES, MOST_LINES
from memory.files.selectors.directories import directory_of_project, files_listed
from memory.files.selectors.directory_reports import index_of, shelf_known, shelf_of
from memory.files.selectors.topics import (
    SORTS,
    STATES,
    TYPES,
    Wanted,
    topics_read,
    topics_wanted,
)
from memory.files.views.index_rows import Line, index_lines
from memory.files.views.page_frame import frame, of_directory
from memory.history.selectors.history import files_deleted
from memory.history.selectors.provenance import uses_of
from memory.lint.engine import FORMULA, RULES
from memory.models import Directory
from sessions.secrets.engine import mask

PER_PAGE = 50
FINDINGS_PER_PAGE = 100


@require_safe
def memory_of_project(request: HtmxRequest, project: str) -> HttpResponse:
    return redirect("memory-detail", directory_of_project(project).pk)


@require_safe
@of_directory
def memory_detail(request: HtmxRequest, directory: Directory) -> HttpResponse:
    try:
        files = files_listed(directory)
    except DirectoryGoneError as error:
        return _gone(request, directory, str(error))
    wanted = _wanted(request)
    index = index_of(directory, files)
    uses, places = uses_of(directory), index.positions if index else {}
    checked = request.GET.get("check") == "1" or wanted.needs_all
    shelf = shelf_of(directory, files) if checked else shelf_known(directory, files)
    found = topics_wanted(files, wanted, places, uses, shelf)
    page = page_of(page_number(request), size=PER_PAGE, total=len(found))
    context = {
        **frame(request, directory, "topics"),
        "wanted": wanted,
        "sorts": SORTS.items(),
        "states": STATES.items(),
        "types": (*TYPES, "none"),
        "page": page,
        "topics": topics_read(directory, found[page.start : page.stop], places, uses, shelf),
        "files": len(files),
        "size": sum(one.size for one in files),
        "shelf": shelf,
        "formula": FORMULA,
        "deleted": files_deleted(directory).count(),
        **_index_shown(index, {one.name for one in files}),
    }
    return render_page(request, "memory/directory.html", context, partials=("shelf", "topics"))


@require_safe
@of_directory
def memory_loaded(request: HtmxRequest, directory: Directory) -> HttpResponse:
    index = index_of(directory, files_listed(directory))
    context = {
        **frame(request, directory, "loaded"),
        "index": index,
        "given": mask(index.loaded.text) if index else "",
        "warning": index.loaded.warning if index else "",
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
    }
    return render_page(request, "memory/loaded.html", context)


@require_safe
@of_directory
def memory_findings(request: HtmxRequest, directory: Directory) -> HttpResponse:
    shelf = shelf_of(directory, files_listed(directory))
    rule, name = request.GET.get("rule", ""), request.GET.get("name", "")
    found = [one for one in shelf.findings if rule in ("", one.rule) and name in ("", one.file)]
    page = page_of(page_number(request), size=FINDINGS_PER_PAGE, total=len(found))
    counts: dict[str, int] = {}
    for one in shelf.findings:
        counts[one.rule] = counts.get(one.rule, 0) + 1
    context = {
        **frame(request, directory, "findings"),
        "shelf": shelf,
        "page": page,
        "findings": [(one, mask(one.message), fix_key(one.message)) for one in found[page.start : page.stop]],
        "rule": rule,
        "rule_means": RULES.get(rule, ""),
        "name": name,
        "counts": sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])),
        "formula": FORMULA,
    }
    return render_page(request, "memory/findings.html", context)


def fix_key(message: str) -> str:
    """What tells a finding from others of its rule in the same line."""
    return digest_of(message.encode("utf-8", "replace"))[:16]


def _gone(request: HtmxRequest, directory: Directory, sentence: str) -> HttpResponse:
    values = {**frame(request, directory, "topics"), "sentence": sentence, "deleted": files_deleted(directory).count()}
    return render_page(request, "memory/gone.html", values)


def _wanted(request: HtmxRequest) -> Wanted:
    asked = request.GET
    state, kind, sort = asked.get("state", ""), asked.get("type", ""), asked.get("sort", "changed")
    return Wanted(
        asked.get("text", "").replace("\0", "").strip()[:200],
        kind if kind in (*TYPES, "none") else "",
        state if state in STATES else "",
        sort if sort in SORTS else "changed",
    )


def _index_shown(index: Index | None, names: set[str]) -> dict[str, Any]:
    lines: list[Line] = index_lines(index, names) if index else []
    return {
        "index": index,
        "index_name": INDEX_NAME,
        "lines": lines,
        "more_lines": index.line_count - len(lines) if index else 0,
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
    }
