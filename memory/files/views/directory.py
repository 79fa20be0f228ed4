"""The pages of one memory directory: index and topics, the loaded part of the index, and the findings."""

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
from memory.files.selectors.directories import directory_of_project, list_files
from memory.files.selectors.directory_reports import cached_report, read_index_of, report_of
from memory.files.selectors.topics import SORTS, STATES, TYPES, TopicFilter, filter_topics, read_topics
from memory.files.views.index_rows import IndexRow, index_rows
from memory.files.views.page_frame import page_context, with_directory
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
@with_directory
def memory_detail(request: HtmxRequest, directory: Directory) -> HttpResponse:
    try:
        files = list_files(directory)
    except DirectoryGoneError as error:
        return _render_gone(request, directory, str(error))
    topic_filter = _read_filter(request)
    index = read_index_of(directory, files)
    uses, positions = uses_of(directory), index.positions if index else {}
    checked = request.GET.get("check") == "1" or topic_filter.needs_all
    report = report_of(directory, files) if checked else cached_report(directory, files)
    topics = filter_topics(files, topic_filter, positions, uses, report)
    page = page_of(page_number(request), size=PER_PAGE, total=len(topics))
    context = {
        **page_context(request, directory, "topics"),
        "filter": topic_filter,
        "sorts": SORTS.items(),
        "states": STATES.items(),
        "types": (*TYPES, "none"),
        "page": page,
        "topics": read_topics(directory, topics[page.start : page.stop], positions, uses, report),
        "files": len(files),
        "size": sum(file.size for file in files),
        "report": report,
        "formula": FORMULA,
        "deleted": files_deleted(directory).count(),
        **_index_context(index, {file.name for file in files}),
    }
    return render_page(request, "memory/files/directory.html", context, partials=("shelf", "topics"))


@require_safe
@with_directory
def memory_loaded(request: HtmxRequest, directory: Directory) -> HttpResponse:
    index = read_index_of(directory, list_files(directory))
    context = {
        **page_context(request, directory, "loaded"),
        "index": index,
        "given": mask(index.loaded.text) if index else "",
        "warning": index.loaded.warning if index else "",
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
    }
    return render_page(request, "memory/files/loaded.html", context)


@require_safe
@with_directory
def memory_findings(request: HtmxRequest, directory: Directory) -> HttpResponse:
    report = report_of(directory, list_files(directory))
    rule, name = request.GET.get("rule", ""), request.GET.get("name", "")
    findings = [finding for finding in report.findings if rule in ("", finding.rule) and name in ("", finding.file)]
    page = page_of(page_number(request), size=FINDINGS_PER_PAGE, total=len(findings))
    counts: dict[str, int] = {}
    for finding in report.findings:
        counts[finding.rule] = counts.get(finding.rule, 0) + 1
    context = {
        **page_context(request, directory, "findings"),
        "report": report,
        "page": page,
        "findings": [
            (finding, mask(finding.message), fix_key(finding.message)) for finding in findings[page.start : page.stop]
        ],
        "rule": rule,
        "rule_means": RULES.get(rule, ""),
        "name": name,
        "counts": sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])),
        "formula": FORMULA,
    }
    return render_page(request, "memory/files/findings.html", context)


def fix_key(message: str) -> str:
    """Identifies a finding among those of the same rule and file."""
    return digest_of(message.encode("utf-8", "replace"))[:16]


def _render_gone(request: HtmxRequest, directory: Directory, sentence: str) -> HttpResponse:
    values = {
        **page_context(request, directory, "topics"),
        "sentence": sentence,
        "deleted": files_deleted(directory).count(),
    }
    return render_page(request, "memory/files/gone.html", values)


def _read_filter(request: HtmxRequest) -> TopicFilter:
    query = request.GET
    state, kind, sort = query.get("state", ""), query.get("type", ""), query.get("sort", "changed")
    return TopicFilter(
        query.get("text", "").replace("\0", "").strip()[:200],
        kind if kind in (*TYPES, "none") else "",
        state if state in STATES else "",
        sort if sort in SORTS else "changed",
    )


def _index_context(index: Index | None, names: set[str]) -> dict[str, Any]:
    lines: list[IndexRow] = index_rows(index, names) if index else []
    return {
        "index": index,
        "index_name": INDEX_NAME,
        "lines": lines,
        "more_lines": index.line_count - len(lines) if index else 0,
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
    }
