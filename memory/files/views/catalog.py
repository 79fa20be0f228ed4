"""Pages over all memory directories: the list, the health of each, and search."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from memory.files.selectors.directories import (
    FileCounts,
    counts_of,
    directory_exists,
    list_files,
    name_of,
    visible_directories,
)
from memory.files.selectors.directory_reports import report_of
from memory.files.selectors.search import memory_search
from memory.files.services.discovery import directories_find
from memory.files.services.scanning import memory_follow, memory_follow_one
from memory.files.views.page_frame import page_context, with_directory
from memory.lint.engine import FORMULA
from memory.models import Directory

PER_PAGE = 50
MOST_HITS = 100


@require_safe
def memory_list(request: HtmxRequest) -> HttpResponse:
    directories = visible_directories()
    page = page_of(page_number(request), size=PER_PAGE, total=directories.count())
    listed = list(directories[page.start : page.stop])
    counts = counts_of(listed)
    lines = [
        (directory, name_of(directory), directory_exists(directory), counts.get(directory.pk, FileCounts()))
        for directory in listed
    ]
    context = {**page_context(request), "page": page, "lines": lines, "formula": FORMULA}
    return render_page(request, "memory/files/list.html", context, partials=("directories",))


@require_safe
@with_directory
def memory_health(request: HtmxRequest, directory: Directory) -> HttpResponse:
    """One cell of the list, fetched by itself: linting all directories at once would delay the page."""
    report = report_of(directory, list_files(directory))
    return render_page(request, "memory/files/list.html#health", {"report": report, "directory": directory})


@require_POST
def memory_look(request: HtmxRequest) -> HttpResponse:
    """Scans all directories now, including those that the watcher does not follow."""
    config = Path(settings.CLAUDE_CONFIG_DIR)
    memory_follow(projects=config / "projects")
    directories_find(config=config)
    for directory in visible_directories():
        if directory_exists(directory):
            memory_follow_one(directory=directory)
    response = HttpResponseRedirect(reverse("memory-list"))
    response.status_code = 303
    return response


@require_safe
def memory_find(request: HtmxRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\0", "").strip()[:200]
    result = memory_search(visible_directories(), query, MOST_HITS)
    hits = [(hit, name_of(hit.directory)) for hit in result.hits]
    context = {**page_context(request), "query": query, "result": result, "hits": hits}
    return render_page(request, "memory/files/search.html", context, partials=("memory-hits",))
