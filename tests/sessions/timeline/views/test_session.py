from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.archive.engine.file_prints import print_of
from sessions.archive.engine.frames import BLOCK_SIZE, compressor, decompress
from sessions.imports.services.sync import sync
from sessions.models import Block, Entry, Mark, Source, Transcript
from sessions.timeline.selectors.window import window_at
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.marks import Fate
from tests.pages import HTMX
from tests.sessions.timeline.views.session_pages import long, page
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def test_a_long_session_takes_few_queries_and_few_bytes_wherever_one_looks(client: Client, file: Written) -> None:
    transcript = long(file)
    assert transcript.entries > 1_950
    for query in ("", "?at=1", "?at=724", "?at=1000", "?at=1500&all=1", "?at=end", "?before=900", "?from=900"):
        with CaptureQueriesContext(connection) as queries:
            text = page(client, transcript, query)
        assert len(queries) <= 12, query
        assert len(text.encode()) <= 150_000, query


def test_only_the_blocks_that_are_shown_are_decoded(client: Client, file: Written) -> None:
    transcript = long(file)
    window = window_at(transcript, 1000)
    spread = sum(row.length for row in window.rows) + sum(row.length for row in window.results.values())
    assert transcript.source.archived > 16 * BLOCK_SIZE
    assert window.decoded <= spread + 4 * BLOCK_SIZE
    with CaptureQueriesContext(connection) as queries:
        page(client, transcript, "?at=1000")
    blocks = [query["sql"].split("IN (")[1] for query in queries if "FROM transcripts_block" in query["sql"]]
    assert sum(numbers.count(",") + 1 for numbers in blocks) <= spread // BLOCK_SIZE + 4


def test_the_place_that_was_asked_for_is_on_the_page_with_a_little_before_it(client: Client, file: Written) -> None:
    file.turns(100)
    transcript = file.read()
    html = page(client, transcript, "?at=201")
    assert 'id="e201"' in html
    assert "Please look at harbour 49" in html
    assert "Please look at harbour 40" not in html


def test_a_link_to_a_result_arrives_at_the_card_of_its_call(client: Client, file: Written) -> None:
    file.turns(2)
    html = page(client, file.read())
    assert re.search(r'<article class="card tool" id="e1"><header><span class="place" id="e2"></span>', html)


def test_a_link_to_a_record_that_has_no_card_arrives_at_the_next_one(client: Client, file: Written) -> None:
    file.turns(20)
    position = len(file.records)
    file.state("mode", mode="plan")
    file.user("Here we are")
    html = page(client, file.read(), f"?at={position}")
    assert f'id="e{position + 1}"><header><span class="place" id="e{position}"></span>' in html
    assert html.count(f'id="e{position}"') == 1


def test_a_link_to_the_last_record_arrives_though_it_has_no_card(client: Client, file: Written) -> None:
    file.turns(20)
    position = len(file.records)
    file.state("mode", mode="plan")
    assert page(client, file.read(), f"?at={position}").count(f'id="e{position}"') == 1


@pytest.mark.parametrize(
    "query", ["?at=garbage", "?at=-1", "?at=²", "?at=" + "9" * 5000, "?from=x", "?before=", "?at="]
)
def test_an_address_that_makes_no_sense_shows_the_start(client: Client, file: Written, query: str) -> None:
    file.turns(40)
    html = page(client, file.read(), query)
    assert 'id="e0"' in html
    assert "Earlier entries" not in html


@pytest.mark.parametrize("query", ["?at=99999999", "?at=160", "?from=5000", "?before=99999999", "?at=end"])
def test_a_place_after_the_end_shows_the_end(client: Client, file: Written, query: str) -> None:
    file.turns(40)
    html = page(client, file.read(), query)
    assert 'id="e159"' in html
    assert "Later entries" not in html
    assert "Earlier entries" in html


def test_nothing_before_the_start_shows_the_start(client: Client, file: Written) -> None:
    file.turns(40)
    assert 'id="e0"' in page(client, file.read(), "?before=0")


def test_htmx_gets_the_rows_alone_in_both_directions(client: Client, file: Written) -> None:
    file.turns(100)
    transcript = file.read()
    later = page(client, transcript, "?from=200&part=rows", **HTMX)
    assert "<html" not in later
    assert 'id="e200"' in later
    assert "Earlier entries" not in later
    earlier = page(client, transcript, "?before=200&part=rows", **HTMX)
    assert 'id="e199"' in earlier
    assert "Later entries" not in earlier
    assert "Earlier entries" in earlier


def test_every_hx_get_has_a_real_address_beside_it(client: Client, file: Written) -> None:
    file.turns(80)
    html = page(client, file.read(), "?at=150")
    links = re.findall(r"<a [^>]*hx-get[^>]*>", html)
    assert len(links) > 50
    assert all(re.search(r' href="[^"#]+"', link) for link in links)


def test_a_time_loads_the_facts_of_its_entry_into_the_panel(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    link = re.search(r'<a class="at" href="([^"]+)" hx-get="([^"]+)" hx-target="#panel"', page(client, transcript))
    assert link
    address = "".join(link.groups())
    panel = client.get(address, headers=HTMX)
    assert panel.content.decode().startswith('<aside id="panel" class="panel" popover')
    assert "Entry 0" in panel.content.decode()
    assert "HX-Request" in panel["Vary"]
    assert "<html" in client.get(address).content.decode()


def test_a_fate_is_told_once_and_shown_by_all(client: Client, file: Written) -> None:
    file.turns(4)
    file.compacts("This session is being continued from a previous conversation: they looked.")
    file.user("What now?")
    html = page(client, file.read())
    assert html.count("▨ in summary ↓") == 1
    assert html.count('again" role="img" aria-label="in summary ↓"') == 11
    assert html.count(" summarised") >= 24


def test_the_side_lists_the_sessions_of_the_project_and_marks_this_one(client: Client, file: Written) -> None:
    file.turns(1)
    other = Written(project=file.project, session="22222222-2222-4333-8444-555555555555", clock=file.clock)
    other.user("Another question")
    other.save(other.path.parent)
    elsewhere = Written(project=file.project.parent / "-home-dev-else", session="33333333-2222-4333-8444-555555555555")
    elsewhere.user("A question of another project")
    elsewhere.save(elsewhere.path.parent)
    sync([file.project.parent], workers=1)
    transcript = file.read()
    for path in ("", "agents/", "find/?q=x", "entries/L0/"):
        side = page(client, transcript, path).split('id="side"')[1].split("</aside>")[0]
        assert side.index("Another question") < side.index("Please look at harbour 0")
        assert re.search(r'555555555555/" aria-current="page"> ?<span class="name">Please look', side)
        assert "another project" not in side
        assert 'href="/sessions/"' in side


def test_the_side_has_an_end_and_still_has_this_session(client: Client, file: Written) -> None:
    file.turns(1)
    for number in range(45):
        session = f"{number:08d}-2222-4333-8444-555555555555"
        other = Written(project=file.project, session=session, clock=file.clock + 10_000 * (number + 1))
        other.user(f"Question {number}")
        other.save(other.path.parent)
    side = page(client, file.read()).split('id="side"')[1].split("</aside>")[0]
    assert side.count("<li>") == 41
    assert side.count('aria-current="page"') == 1


def test_a_turn_of_one_record_claims_no_duration(client: Client, file: Written) -> None:
    file.user("Anybody there?")
    html = page(client, file.read())
    assert "<b>Turn 1</b>" in html
    assert ">0ms<" not in html.split('id="timeline"')[1]


def test_a_session_without_entries_says_so(client: Client, file: Written) -> None:
    assert "This session has no entries: its file is empty." in page(client, file.read())


def test_a_session_of_state_records_alone_offers_them(client: Client, file: Written) -> None:
    file.state("mode", mode="plan")
    transcript = file.read()
    assert "only state records" in page(client, transcript)
    assert "plan" in page(client, transcript, "?all=1")


def test_among_all_records_too_every_result_is_shown_once_and_every_place_has_one_anchor(
    client: Client, file: Written
) -> None:
    file.user("Look")
    file.call("Bash", "toolu_1", command="ls")
    file.result("toolu_1", "the one harbour")
    html = page(client, file.read(), "?all=1")
    assert html.count("the one harbour") == 1
    places = re.findall(r' id="(e[0-9-]+)"', html)
    assert sorted(places) == sorted(set(places))


def test_a_session_whose_file_is_gone_stays_readable_with_a_badge(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    file.path.unlink()
    sync([file.project], workers=1)
    html = page(client, transcript)
    assert "archive only" in html
    assert "Please look at harbour 0" in html
    assert 'hx-trigger="every' not in html.split('id="tail"')[1]


def test_an_earlier_version_says_so_and_leads_to_what_the_file_holds_now(client: Client, file: Written) -> None:
    file.user("The first version")
    file.read()
    file.path.write_text("")
    rewritten = Written(project=file.project)
    rewritten.user("The second version, which has nothing to do with the first")
    now = rewritten.read()
    before = Transcript.objects.get(source__state=Source.State.REPLACED)
    html = page(client, before)
    assert "earlier version" in html
    assert "The first version" in html
    assert f'<a href="/sessions/{now.public_id}/">what the file holds now</a>' in html


@pytest.mark.parametrize(
    "path", ["", "live/?after=0", "find/?q=x", "agents/", "entries/L0/", "entries/L0/raw/", "export/md/"]
)
def test_an_unknown_session_gets_a_page_that_helps(client: Client, path: str) -> None:
    response = client.get(f"/sessions/nobody/{path}")
    assert response.status_code == 404
    html = response.content.decode()
    assert "No session nobody has been imported." in html
    assert 'href="/sessions/"' in html


def test_an_unknown_entry_gets_a_page_that_helps(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    for address in ("L99", "L²", "no-such-uuid"):
        response = client.get(f"/sessions/{transcript.public_id}/entries/{address}/")
        assert response.status_code == 404
        assert "The session has no entry" in response.content.decode()


def test_an_entry_with_any_id_has_a_permalink_and_a_raw_record(client: Client, file: Written) -> None:
    file.row("user", uuid="a/b?c#d%2F é", message={"role": "user", "content": "an odd one"})
    transcript = file.read()
    (address,) = set(re.findall(r'href="(/sessions/[^"]*/entries/[^"]*)"', page(client, transcript)))
    html = client.get(address).content.decode()
    assert "an odd one" in html
    (raw,) = set(re.findall(r'href="([^"]*/raw/)"', html))
    assert "an odd one" in client.get(raw).content.decode()
    assert "an odd one" in client.get(f"{address}raw/").content.decode()


def test_what_nobody_sees_in_a_name_is_spelled_out(client: Client, file: Written) -> None:
    file.user("Push \u202ehsup \x1b[31m now")
    file.assistant("Done.")
    transcript = file.read()
    for address in ("/", "/sessions/", f"/sessions/{transcript.public_id}/"):
        head = client.get(address).content.decode().partition('id="timeline"')[0]
        assert "Push" in head, address
        assert not {"\u202e", "\x1b"} & set(head), address


def test_secrets_in_a_name_are_masked_wherever_it_is_shown(client: Client, file: Written) -> None:
    file.user("Use ghp_0123456789abcdefghijABCDEFGHIJ012345 to push")
    file.assistant("Done.")
    transcript = file.read()
    for address in (
        "/",
        "/sessions/",
        f"/sessions/{transcript.public_id}/",
        f"/sessions/{transcript.public_id}/context/",
    ):
        page = client.get(address).content.decode()
        assert "0123456789abcdefghijABCDEFGHIJ" not in page, address
        assert "to push" in page, address


def test_a_window_that_was_shown_before_shows_what_has_changed_since(client: Client, file: Written) -> None:
    file.user("Please look at the harbour")
    file.assistant("It has high water.")
    transcript = file.read()
    before = page(client, transcript)
    assert page(client, transcript) == before
    mark = Mark.objects.create(transcript=transcript, first=0, last=0, fate=Fate.SNIPPED.value, by=1)
    assert "snipped" in page(client, transcript)
    mark.delete()
    assert page(client, transcript) == before
    Entry.objects.filter(pk=transcript.pk << POSITION_BITS).update(at=1_760_000_000_000)
    assert "08:53:20" in page(client, transcript)


def test_other_records_at_the_same_places_are_not_taken_for_those_that_were_shown(
    client: Client, file: Written
) -> None:
    file.user("Please look at the harbour")
    transcript = file.read()
    assert "the harbour" in page(client, transcript)
    block = Block.objects.get()
    raw = decompress(bytes(block.data)).replace(b"the harbour", b"the seaport")
    frame = compressor()(raw)
    Block.objects.update(data=frame, content_hash=print_of(raw), frame_hash=print_of(frame))
    text = page(client, transcript)
    assert "look at the seaport" in text
