from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import Oddity, Problem, Source, Transcript
from tests.pages import fetch
from tests.sessions.made import HOSTILE, session

pytestmark = pytest.mark.django_db


def odd(transcript: Transcript, what: str, name: str, count: int = 1, first: int = 0) -> None:
    Oddity.objects.create(transcript=transcript, what=what, name=name, count=count, first=first)


def page(client: Client, **parameters: str) -> str:
    return fetch(client, f"/odd/?{urlencode(parameters)}")


def test_a_name_is_counted_over_all_files_and_links_to_its_first_entry(client: Client) -> None:
    first, second = session(public_id="first"), session(public_id="second")
    odd(first, "type", "hologram", 3, first=17)
    odd(second, "type", "hologram", 4, first=2)
    response = client.get("/odd/")
    [(what, [unknown])] = response.context["unknown"]
    assert (what, unknown.name, unknown.count, unknown.sessions) == ("type", "hologram", 7, 2)
    assert "/sessions/first/?at=17#e17" in response.content.decode()
    assert 'href="/sessions/first/entries/L17/"' in response.content.decode()


def test_a_name_that_is_empty_is_said_to_be(client: Client) -> None:
    odd(session(), "type", "")
    assert "(empty)" in page(client)


def test_kinds_of_progress_are_named_as_people_say_it(client: Client) -> None:
    odd(session(), "progress", "humming")
    assert "Unknown progress<" in page(client)


def test_names_stand_under_their_sort_the_most_frequent_first(client: Client) -> None:
    transcript = session()
    odd(transcript, "type", "seldom", 1)
    odd(transcript, "type", "often", 9)
    odd(transcript, "key", "message.new", 5)
    html = page(client)
    assert html.index("Unknown keys") < html.index("message.new") < html.index("Unknown types")
    assert html.index(">often<") < html.index(">seldom<")


def test_a_broken_line_links_to_its_bytes(client: Client) -> None:
    transcript = session(public_id="broken", bad_lines=1)
    Problem.objects.create(transcript=transcript, line=12, offset=3456, length=99, kind="glued", detail="two objects")
    html = page(client)
    assert 'href="/sessions/broken/problems/3456/"' in html
    assert "glued" in html
    assert "two objects" in html


def test_earlier_versions_of_a_file_are_not_counted_again(client: Client) -> None:
    earlier = session(state=Source.State.REPLACED)
    odd(earlier, "type", "hologram")
    Problem.objects.create(transcript=earlier, line=1, offset=0, length=1, kind="glued")
    html = page(client)
    assert "hologram" not in html
    assert "glued" not in html


def test_hostile_names_are_shown_as_names(client: Client) -> None:
    transcript = session(title=HOSTILE)
    odd(transcript, HOSTILE[:20], HOSTILE)
    Problem.objects.create(transcript=transcript, line=1, offset=0, length=1, kind="<script>", detail=HOSTILE)
    html = page(client)
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_broken_lines_come_in_pages_that_htmx_can_swap(client: Client) -> None:
    transcript = session()
    Problem.objects.bulk_create(
        Problem(transcript=transcript, line=number, offset=number, length=1, kind="truncated") for number in range(120)
    )
    assert "1–50 of 120 broken lines" in page(client)
    assert "101–120 of 120 broken lines" in page(client, page="3")
    assert "1–50 of 120" in page(client, page="three")
    partial = client.get("/odd/", {"page": "2"}, headers={"HX-Request": "true", "HX-Target": "broken"})
    assert partial.content.decode().lstrip().startswith('<section id="broken"')


def test_the_number_of_queries_does_not_grow_with_what_is_odd(client: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            client.get("/odd/")
        return len(seen)

    odd(session(), "type", "hologram")
    few = queries()
    for number in range(30):
        transcript = session()
        odd(transcript, "key", f"key-{number}")
        Problem.objects.create(transcript=transcript, line=1, offset=0, length=1, kind="glued")
    assert queries() <= few + 1 <= 8


def test_an_understood_archive_says_so(client: Client) -> None:
    html = page(client)
    assert "Every record was understood" in html
    assert "Every line was read whole" in html
