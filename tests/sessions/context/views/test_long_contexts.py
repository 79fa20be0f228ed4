"""Contexts of thousands of messages: few queries, few bytes."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.capture.services.captures import capture_store
from tests.pages import HTMX
from tests.sessions.capture.capturing import exchange
from tests.sessions.capture.capturing import message as captured_answer
from tests.sessions.capture.capturing import request as captured_request
from tests.sessions.context.views.context_pages import ids, page, write_compacted
from tests.sessions.timeline.views.session_pages import long
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def test_any_request_takes_few_queries_and_few_bytes(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    assert transcript.source.archived > 2 * 512 * 1024
    for message in ids(transcript)[::7] + ids(transcript)[-1:]:
        with CaptureQueriesContext(connection) as queries:
            html = page(client, transcript, f"?request={message}")
        assert len(queries) <= 10, message
        assert len(html.encode()) <= 150_000, message
    for query in ("?next=1", "?at=L150", "?from=0", "?at=L449"):
        with CaptureQueriesContext(connection) as queries:
            html = page(client, transcript, query)
        assert len(queries) <= 12, query
        assert len(html.encode()) <= 150_000, query


def test_a_long_array_stays_small_and_can_be_had_piece_by_piece(client: Client, file: Written) -> None:
    transcript = long(file)
    html = page(client, transcript)
    assert len(html.encode()) <= 150_000
    gap = re.search(r'href="(\?[^"]+)" hx-get="(\?[^"]+)" hx-target="closest li"[^>]*>Show the last of them', html)
    assert gap
    address, fragment = (part.replace("&amp;", "&") for part in gap.groups())
    page_html = page(client, transcript, fragment, **HTMX)
    assert "<html" not in page_html
    assert page_html.count('class="message') > 20
    assert "<html" in page(client, transcript, fragment)
    assert page_html.split('id="m')[1].split('"')[0] in page(client, transcript, address.split("#")[0])
    more = re.search(r'class="more" href="[^"]+" hx-get="(\?[^"]+part=piece[^"]+)"', html)
    assert more
    whole = page(client, transcript, more[1].replace("&amp;", "&"), **HTMX)
    assert whole.startswith('<div class="piece')
    assert "show all" not in whole


def test_a_message_of_very_many_blocks_is_opened_on_demand(client: Client, file: Written) -> None:
    tools = [f"toolu_{n}" for n in range(40)]
    file.user("ask")
    file.assistant(*({"type": "tool_use", "id": tool, "name": "Bash", "input": {}} for tool in tools))
    for tool in tools:
        file.result(tool, f"output of {tool}.")
    file.assistant("say")
    transcript = file.read()
    html = page(client, transcript)
    assert "output of toolu_39." not in html
    link = re.search(r'hx-get="(\?[^"]+part=message&amp;[^"]+)"[^>]*>24 more blocks', html.split('id="m2"')[1])
    assert link
    assert "output of toolu_39." in page(client, transcript, link[1].replace("&amp;", "&"), **HTMX)


def test_going_back_behind_a_boundary_takes_no_more_queries_than_anything_else(client: Client, file: Written) -> None:
    forks: list[str] = []
    for number in range(3):
        file.turns(2)
        forks.append(file.leaf or "")
        kept = file.user("And the low water?")
        metadata = {"trigger": "auto", "preservedMessages": {"anchorUuid": f"summary-{number}", "uuids": [kept]}}
        file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None)
        file.user("In short.", uuid=f"summary-{number}", isCompactSummary=True)
    for back in forks:
        file.user("Rather this", parent=back)
        file.assistant("As you like.")
    file.user("Lost", parent="not-in-this-file")
    file.assistant("Found.")
    transcript = file.read()
    for message in ids(transcript):
        with CaptureQueriesContext(connection) as queries:
            html = page(client, transcript, f"?request={message}")
        assert len(queries) <= 10, "\n".join(query["sql"][-160:] for query in queries.captured_queries)
        assert "Messages as sent" in html


def test_a_captured_request_after_a_compaction_that_kept_answers_takes_no_more_queries(
    client: Client, file: Written
) -> None:
    """What the first kept answer followed was summarised away, and is not looked for."""
    file.turns(20)
    kept = [str(record["uuid"]) for record in file.records[-3:]]
    metadata = {"trigger": "auto", "preservedMessages": {"anchorUuid": "summary", "uuids": kept}}
    file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None)
    file.user("In short.", uuid="summary", isCompactSummary=True)
    file.turns(2)
    transcript = file.read()
    request = captured_request({"role": "user", "content": "In short."}, {"role": "user", "content": "And now?"})
    capture_store(exchange=exchange(request, captured_answer(ids(transcript)[-1])))
    with CaptureQueriesContext(connection) as queries:
        html = page(client, transcript)
    assert "as it went over the wire" in html
    assert len(queries) <= 10, "\n".join(query["sql"][-160:] for query in queries.captured_queries)
