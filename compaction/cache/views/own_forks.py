"""Lucid's own forks: whether each really read the prompt cache of the request that it went on from, and if not, why."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from compaction.cache.engine.names import TITLES
from compaction.cache.selectors.forks import Explained, fork_explained, forks_of
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from inspector.web.svg import token_bar
from sessions.capture.selectors.list import forks_found, own_count
from sessions.catalog.selectors.facets import project_tree
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import Diff, from_texts

PER_PAGE = 50
LINES = 80
LONGEST = 200_000
"""Characters of a text that are compared."""


@require_safe
def own_forks(request: HtmxRequest) -> HttpResponse:
    found = forks_found()
    page = page_of(page_number(request), size=PER_PAGE, total=found.count())
    context = {
        "section": "cache",
        "forks": forks_of(list(found[page.start : page.stop])),
        "others": own_count() - page.total,
        "page": page,
        "projects": project_tree(),
    }
    return render_page(request, "captures/forks.html", context, partials=("fork-list",))


@require_safe
def own_fork(request: HtmxRequest, capture_id: int) -> HttpResponse:
    capture = forks_found().defer(None).filter(pk=capture_id).first() if capture_id < 2**63 else None
    if capture is None:
        raise Http404(f"There is no fork {capture_id}; it may be older than what is kept.")
    (fork,) = forks_of([capture])
    explained = fork_explained(fork)
    causes = explained.verdict.causes if explained.verdict else ()
    context = {
        "section": "cache",
        "fork": fork,
        "verdict": explained.verdict,
        "causes": [(TITLES.get(one.name, one.name), one) for one in causes],
        "difference": _difference(explained),
        "bar": token_bar(
            [
                ("read", "read from the cache", capture.cache_read or 0),
                ("written", "written to it", capture.written or 0),
                ("fresh", "fresh", capture.input or 0),
            ],
            threshold=fork.expected or 0,
        ),
        "projects": project_tree(),
    }
    return render_page(request, "captures/fork.html", context)


def _difference(explained: Explained) -> Diff | None:
    if not explained.old and not explained.new:
        return None
    return from_texts(mask(explained.old[:LONGEST]), mask(explained.new[:LONGEST])).head(LINES)
