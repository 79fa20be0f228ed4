from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import Transcript
from tests.pages import HTMX, fetch
from tests.sessions.context.views.context_pages import ids, write_compacted
from tests.sessions.timeline.views.session_pages import long
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def part(client: Client, transcript: Transcript, query: str = "", target: str = "left-out") -> str:
    headers = {**HTMX, **({"HX-Target": target} if target else {})}
    return fetch(client, f"/sessions/{transcript.public_id}/context/left-out/{query}", **headers)


def test_what_is_left_out_stands_by_reason_with_its_cause(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    html = part(client, transcript)
    assert html.startswith('<section id="left-out"')
    assert "<html" not in html
    assert "▨ Summarised away" in html
    assert "☐ Cleared" in html
    boundary = transcript.ruler["boundaries"][-1]
    because = rf'<a href="/sessions/[^"]+/\?at={boundary}&amp;context=[^"]+#e{boundary}">by entry {boundary}<'
    assert re.search(because, html)
    assert "of the" in html
    assert "entries before this point" in html


def test_ranges_lead_to_the_timeline_as_it_was_seen(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    html = part(client, transcript)
    link = re.search(r'class="range" href="(/sessions/[^"]+)"', html)
    assert link
    address = link[1].replace("&amp;", "&")
    assert f"context={ids(transcript)[-1]}" in address
    assert client.get(address).status_code == 200


def ranges(html: str) -> list[str]:
    return [match.replace("&amp;", "&") for match in re.findall(r'class="range" href="(/sessions/[^"]+)"', html)]


def test_what_was_never_sent_is_shown_where_its_link_leads(client: Client, file: Written) -> None:
    """State records have no place in the timeline unless every record is asked for."""
    file.turns(1)
    file.state("permission-mode", permissionMode="plan")
    file.user("And now?")
    file.assistant("Low water.")
    (address,) = ranges(part(client, file.read()))
    assert address.endswith("&all=1#e4")
    html = client.get(address).content.decode()
    assert re.search(r'id="e4"[^>]*>(?:(?!id="e5").)*plan', html, re.DOTALL)
    assert "As the model saw it at" in html


def test_from_a_place_after_an_entry_links_keep_the_place(client: Client, file: Written) -> None:
    file.turns(1)
    file.state("mode", mode="plan")
    file.user("And now?")
    file.assistant("Low water.")
    transcript = file.read()
    entry = str(file.records[5]["uuid"])
    (address,) = ranges(part(client, transcript, f"?at={entry}"))
    assert f"&after={entry}" in address
    html = client.get(address).content.decode()
    assert "right after" in html
    assert re.search(r'<article class="card user seen" id="e5">', html)
    assert re.search(r'<article class="card [\w ]*ahead" id="e6">', html)


def test_before_anything_was_sent_the_words_say_would(client: Client, file: Written) -> None:
    file.user("ask")
    assert "Nothing: the model would see every entry" in part(client, file.read())


def test_only_the_first_ranges_of_a_reason_are_shown_until_more_are_asked_for(client: Client, file: Written) -> None:
    for number in range(30):
        file.turns(1)
        file.state("mode", mode=f"plan {number}")
    transcript = file.read()
    html = part(client, transcript)
    more = re.search(r'class="more" href="[^"]+" hx-get="/sessions/[^"]+/left-out/(\?[^"]+)"[^>]*>(\d+) more', html)
    assert more
    whole = part(client, transcript, more[1].replace("&amp;", "&"), target="")
    assert whole.startswith('<div class="left-group">')
    assert "more range" not in whole
    assert whole.count('class="range"') == html.count('class="range"') + int(more[2])


def test_nothing_left_out_says_so(client: Client, file: Written) -> None:
    file.user("ask")
    file.assistant("say")
    assert "Nothing: the model saw every entry before this point" in part(client, file.read())


def test_without_htmx_it_is_a_page(client: Client, file: Written) -> None:
    transcript = long(file)
    html = client.get(f"/sessions/{transcript.public_id}/context/left-out/").content.decode()
    assert "<html" in html
    assert "← the context" in html
    assert len(html.encode()) < 150_000


def listed_ranges(html: str) -> list[tuple[str, str]]:
    """Who and what each range begins with."""
    return re.findall(r'<b>([^<]*)</b> <span class="words">([^<]*)</span>', html)


def test_each_range_says_who_it_begins_with_and_how(client: Client, file: Written) -> None:
    file.user("When is <b>high water</b>?\nAt Gull Haven, " + "that is " * 40)
    file.assistant("At noon.")
    file.state("permission-mode", permissionMode="plan")
    file.row("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"}, parent=None)
    file.user("They spoke of tides.", isCompactSummary=True)
    file.user("And now?")
    file.assistant("Low water.")
    html = part(client, file.read())
    assert "<b>high" not in html
    (first, words), (state, mode) = listed_ranges(html)
    assert first == "User"
    assert words.startswith("When is &lt;b&gt;high water&lt;/b&gt;? At Gull Haven, that is")
    assert words.endswith("…")
    assert (state, mode) == ("Permission mode", "plan")


def test_secrets_are_masked_where_entries_are_named(client: Client, file: Written) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    file.user(f"The token is {secret}")
    file.assistant("Noted.")
    file.row("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"}, parent=None)
    file.user("A token was named.", isCompactSummary=True)
    file.user("And now?")
    file.assistant("Low water.")
    html = part(client, file.read())
    assert "The token is" in html
    assert secret[:14] not in html


def test_a_record_that_is_too_large_is_named_by_its_type(
    client: Client, file: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = write_compacted(file)
    monkeypatch.setattr("sessions.timeline.selectors.briefs.BYTES", 10)
    assert {words for _, words in listed_ranges(part(client, transcript))} == {""}


def test_naming_entries_takes_one_query_more(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    with CaptureQueriesContext(connection) as queries:
        html = part(client, transcript)
    assert listed_ranges(html)
    blocks = [query["sql"] for query in queries.captured_queries if "transcripts_block" in query["sql"]]
    assert len(queries) <= 10, "\n".join(query["sql"][-160:] for query in queries.captured_queries)
    assert len(blocks) <= 2


def test_more_ranges_than_fit_go_on_from_where_they_ended(client: Client, file: Written) -> None:
    for number in range(405):
        file.user(f"ask {number}")
        file.state("mode", mode="normal")
        file.assistant(f"say {number}")
    transcript = file.read()
    few = part(client, transcript)
    (more,) = re.findall(r'class="more" href="[^"]*left-out/(\?[^"]*)"', few)
    many = part(client, transcript, more.replace("&amp;", "&"), target="")
    (rest,) = re.findall(r'class="more" href="[^"]*left-out/(\?[^"]*from=400)"', many)
    last = part(client, transcript, rest.replace("&amp;", "&"), target="")
    assert len(ranges(many)) == 400
    assert not set(ranges(many)) & set(ranges(last))
    assert "more range" not in last
    assert "back to the first of them" in last
    assert ranges(part(client, transcript, "?reason=unsent&from=x", target="")) == ranges(many)
