from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from sessions.models import Transcript
from sessions.weights.services.weighing import transcript_weigh
from tests.pages import HTMX, fetch, sizes_in
from tests.sessions.context.views.context_pages import ids, write_compacted
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def part(client: Client, transcript: Transcript, query: str = "") -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/context/changes/{query}", **HTMX, HX_Target="changes")


def test_a_prefix_that_held_is_told_in_a_sentence(client: Client, file: Written) -> None:
    file.turns(2)
    html = part(client, file.read())
    assert html.startswith('<section id="changes"')
    assert "The prefix held: 2 messages were added." in html
    assert "<b>2 messages added</b>" in html
    assert "tide --harbour 1" in html


def test_a_prefix_that_broke_names_the_record_that_broke_it(client: Client, file: Written) -> None:
    file.user("ask")
    file.call("Bash", "toolu_1", command="tide")
    file.result("toolu_1", "high water at noon")
    file.assistant("say")
    file.row("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["toolu_1"]})
    file.user("ask more")
    file.assistant("say more")
    html = part(client, file.read())
    assert "The prefix broke at message 3 of 3: it was rewritten" in html
    assert '/entries/L4/">entry 4</a>' in html
    assert "<del>high water at noon</del>" in html
    assert "<ins>[Old tool result content cleared]</ins>" in html


def test_after_a_compaction_the_boundary_is_the_cause(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    boundary = transcript.ruler["boundaries"][0]
    after = next(item for item in transcript.request_set.order_by("position") if item.position > boundary)
    html = part(client, transcript, f"?request={after.message_id}")
    assert "the conversation was compacted" in html
    assert f">entry {boundary}</a>" in html


def test_the_first_request_has_nothing_before_it(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    assert "This is the first request." in part(client, transcript, f"?request={ids(transcript)[0]}")


def test_the_parts_of_the_difference_add_up_to_it_also_after_a_compaction(client: Client, file: Written) -> None:
    transcript = write_compacted(file)
    transcript_weigh(transcript=transcript)
    for number, name in enumerate(ids(transcript)):
        html = part(client, transcript, f"?request={name}")
        if number:
            total = re.search(r'data-difference="(-?\d+)"', html)
            assert total is not None
            assert sum(map(int, re.findall(r'data-part="(-?\d+)"', html))) == int(total[1])
            before, after = [size.tokens or 0 for size in sizes_in(html) if size.of.startswith("whole prompt")][:2]
            assert after - before == int(total[1])


def test_without_htmx_it_is_a_page(client: Client, file: Written) -> None:
    file.turns(1)
    html = client.get(f"/sessions/{file.read().public_id}/context/changes/").content.decode()
    assert "<html" in html
    assert "The prefix held" in html
