"""The CLAUDE.md chain of a project: what is loaded, in which order, and what a compaction loses."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.htmx import HtmxRequest, render_page
from memory.chain.engine import MOST_CHARACTERS, MOST_HOPS
from memory.files.engine.reading.loaded_text import MOST_BYTES, MOST_LINES
from memory.files.selectors.directories import checkout_of
from memory.files.selectors.directory_reports import chain_for
from memory.files.views.page_frame import page_context, with_directory
from memory.models import Directory
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

MOST_SHOWN = 200
LONGEST = 4_000
"""Characters of one file on the page; the rest is in the file."""


@require_safe
@with_directory
def memory_chain(request: HtmxRequest, directory: Directory) -> HttpResponse:
    chain = chain_for(directory)
    files = [
        (file, spell_invisible(mask(file.agent_text[:LONGEST])), max(0, len(file.agent_text) - LONGEST))
        for file in chain.files[:MOST_SHOWN]
    ]
    context = {
        **page_context(request, directory, "chain"),
        "chain": chain,
        "files": files,
        "left_out": max(0, len(chain.files) - MOST_SHOWN),
        "most_characters": MOST_CHARACTERS,
        "most_hops": MOST_HOPS,
        "most_lines": MOST_LINES,
        "most_bytes": f"{MOST_BYTES:,}",
        "checkout": checkout_of(directory),
        "cwd": directory.project.cwd if directory.project else "",
    }
    return render_page(request, "memory/chain/chain.html", context)
