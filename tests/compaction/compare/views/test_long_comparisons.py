"""Comparisons of long contexts: what is kept of them, and what is loaded on demand."""

from __future__ import annotations

import pickle
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compaction.compare.engine.packed import PackedMessages
from compaction.compare.selectors import comparisons
from compaction.compare.views import comparison
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from sessions.models import Request
from tests.compaction.compare.views.comparison_pages import make, page, rows
from tests.pages import HTMX
from tests.sessions.context.views.context_pages import write_compacted
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def test_long_contexts_stay_small_and_take_few_queries(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    compaction = make(transcript, MICROCOMPACT)
    boundaries = [f"compactions/L{position}/" for position in transcript.ruler["boundaries"]]
    requests = list(
        Request.objects.filter(transcript=transcript).order_by("position").values_list("message_id", flat=True)
    )
    two = [
        f"compare/?a={item}&b={other}" for item, other in ((requests[3], requests[90]), (requests[-9], requests[-1]))
    ]
    for path in (*boundaries, *two, f"compactions/run-{compaction.pk}/"):
        with CaptureQueriesContext(connection) as queries:
            html = page(client, transcript, path)
        assert len(queries) <= 13, path
        assert len(html.encode()) <= 150_000, path
        assert len(rows(html)) <= 40


def test_of_long_contexts_the_check_comes_after_the_page(client: Client, file: Written) -> None:
    file.turns(comparison.LONG // 8 + 1)
    transcript = file.read()
    html = page(client, transcript, "compare/?a=next&b=next")
    assert "May it be sent?</a>" in html
    assert "What comes after may be sent" not in html
    fragment = page(client, transcript, "compare/?a=next&b=next&part=sendable", **HTMX)
    assert "<html" not in fragment
    for checked in (fragment, page(client, transcript, "compare/?a=next&b=next&checked=1")):
        assert "What comes after may be sent" in checked


def test_gaps_are_loaded_on_demand_and_have_real_addresses(client: Client, file: Written) -> None:
    file.turns(60)
    transcript = file.read()
    html = page(client, transcript, "compare/?a=entry:L200&b=next")
    assert rows(html) == ["kept"] * 3 + ["added"] * 3
    links = re.findall(r'<a href="(\?[^"]+)" hx-get="(\?[^"]+)"', html.split('id="rows"')[1])
    assert len(links) >= 3
    for address, fragment in links:
        loaded = page(client, transcript, f"compare/{fragment.replace('&amp;', '&')}", **HTMX)
        assert "<html" not in loaded
        assert 0 < len(rows(loaded)) <= 40
        assert rows(loaded)[0] in rows(page(client, transcript, f"compare/{address.replace('&amp;', '&')}"))
    response = client.get(
        f"/sessions/{transcript.public_id}/compare/?a=next&b=next&part=piece&open=b99.9", headers=HTMX
    )
    assert response.status_code == 404


def blocks_read(queries: CaptureQueriesContext) -> int:
    """How often the archive was asked for bytes."""
    return sum("transcripts_block" in query["sql"] for query in queries.captured_queries)


def test_a_long_comparison_is_kept_for_what_is_asked_for_next(client: Client, file: Written) -> None:
    file.turns(comparisons.LONG // 4 + 1)
    transcript = file.read()
    with CaptureQueriesContext(connection) as first:
        html = page(client, transcript, "compare/?a=entry:L700&b=next")
    (_, fragment), *_ = re.findall(r'<a href="(\?[^"]+)" hx-get="(\?[^"]+)"', html.split('id="rows"')[1])
    query = f"compare/{fragment.replace('&amp;', '&')}"
    with CaptureQueriesContext(connection) as second:
        kept = page(client, transcript, query, **HTMX)
    assert blocks_read(first) > blocks_read(second) == 0
    comparisons._cache.clear()
    assert kept == page(client, transcript, query, **HTMX)
    assert page(client, transcript, "compare/?a=entry:L700&b=next") == html


def test_a_kept_comparison_is_made_anew_when_the_session_goes_on(client: Client, file: Written) -> None:
    file.turns(comparisons.LONG // 4 + 1)
    transcript = file.read()
    assert "and one more thing" not in page(client, transcript, "compare/?a=entry:L700&b=next")
    file.user("and one more thing")
    file.read()
    assert "and one more thing" in page(client, transcript, "compare/?a=entry:L700&b=next")


def test_few_comparisons_are_kept_and_they_are_small(client: Client, file: Written) -> None:
    file.turns(comparisons.LONG // 4 + 1)
    transcript = file.read()
    for position in range(700, 740, 10):
        page(client, transcript, f"compare/?a=entry:L{position}&b=next")
    kept = list(comparisons._cache.values())
    assert len(kept) == comparisons.CACHE_SIZE
    for item in kept:
        assert (item.before.context, item.after.context) == (None, None)
        assert isinstance(item.comparison.after, PackedMessages)
        assert item.comparison.after.bytes * 4 < len(pickle.dumps(tuple(item.comparison.after)))
