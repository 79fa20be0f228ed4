"""Lucid's own forks: whether each really read the prompt cache of the request that it continues, and if not, why."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from compaction.cache.engine.causes.cause_names import TITLES
from compaction.cache.selectors.forks import ForkExplanation, explain_fork, forks_of
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number
from inspector.web.svg import token_bar
from sessions.capture.selectors.capture_list import count_own_captures, list_forks
from sessions.catalog.selectors.facets import project_tree
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import Diff, from_texts

PER_PAGE = 50
MOST_LINES = 80
MOST_CHARACTERS = 200_000
"""Only the start of a long text is compared."""


@require_safe
def own_forks(request: HtmxRequest) -> HttpResponse:
    captures = list_forks()
    page = page_of(page_number(request), size=PER_PAGE, total=captures.count())
    context = {
        "section": "cache",
        "forks": forks_of(list(captures[page.start : page.stop])),
        "others": count_own_captures() - page.total,
        "page": page,
        "projects": project_tree(),
    }
    return render_page(request, "compaction/cache/forks.html", context, partials=("fork-list",))


@require_safe
def own_fork(request: HtmxRequest, capture_id: int) -> HttpResponse:
    capture = list_forks().defer(None).filter(pk=capture_id).first() if capture_id < 2**63 else None
    if capture is None:
        raise Http404(f"There is no fork {capture_id}; it may be older than what is kept.")
    (fork,) = forks_of([capture])
    explained = explain_fork(fork)
    causes = explained.verdict.causes if explained.verdict else ()
    context = {
        "section": "cache",
        "fork": fork,
        "verdict": explained.verdict,
        "causes": [(TITLES.get(cause.name, cause.name), cause) for cause in causes],
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
    return render_page(request, "compaction/cache/fork.html", context)


def _difference(explained: ForkExplanation) -> Diff | None:
    if not explained.old and not explained.new:
        return None
    return from_texts(mask(explained.old[:MOST_CHARACTERS]), mask(explained.new[:MOST_CHARACTERS])).head(MOST_LINES)
