from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from sessions.imports.services.sync import sync
from sessions.models import Project
from sessions.search.selectors.hits import Hit
from sessions.search.selectors.indexed_search import SearchPage
from tests.sessions.made import HOSTILE

pytestmark = pytest.mark.django_db


def write(path: Path, *records: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def user_record(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": None,
        "sessionId": "one",
        "timestamp": f"2025-10-01T12:00:{number:02}.000Z",
        "cwd": "/home/dev/atlas",
        "message": {"role": "user", "content": text},
        **more,
    }


def answered(number: int, text: str) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
    return user_record(number, "", message={"role": "user", "content": [result]})


@pytest.fixture
def imported(tmp_path: Path) -> None:
    write(
        tmp_path / "projects" / "-home-dev-atlas" / "one.jsonl",
        user_record(1, "Find the lighthouse keeper"),
        user_record(2, f"The lighthouse says {HOSTILE}"),
        answered(3, "a walrus in tool output"),
    )
    sync([tmp_path], workers=1)


def test_hits_come_newest_first_and_open_the_timeline_at_their_place(client: Client, imported: None) -> None:
    html = client.get("/search/", {"q": "lighthouse"}).content.decode()
    assert html.count('<li class="hit item">') == 2
    assert html.index("?at=1#e1") < html.index("?at=0#e0")
    assert "<mark>lighthouse</mark>" in html


def test_a_snippet_is_text_whatever_it_looks_like(client: Client, imported: None) -> None:
    html = client.get("/search/", {"q": "lighthouse alert"}).content.decode()
    assert "&lt;script&gt;" in html
    assert "<script>alert" not in html


@pytest.mark.parametrize("deep", ["", "1"])
def test_secrets_are_masked_in_what_is_found(client: Client, tmp_path: Path, deep: str) -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 11
    write(
        tmp_path / "projects" / "-home-dev-atlas" / "one.jsonl",
        user_record(1, f"the lighthouse key is {secret}"),
        answered(2, f"lighthouse\nKEY={secret}"),
    )
    sync([tmp_path], workers=1)
    html = client.get("/search/", {"q": "lighthouse", "deep": deep}).content.decode()
    assert "?at=0#e0" in html
    assert ("?at=1#e1" in html) == bool(deep)
    assert "a1B2c3D4" not in html


def test_the_words_searched_for_are_text_too(client: Client, imported: None) -> None:
    html = client.get("/search/", {"q": HOSTILE, "deep": "1"}).content.decode()
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_tool_output_is_found_only_when_asked_for(client: Client, imported: None) -> None:
    shallow = client.get("/search/", {"q": "walrus"}).content.decode()
    assert "?at=2#e2" not in shallow
    assert "?q=walrus&amp;deep=1" in shallow
    deep = client.get("/search/", {"q": "walrus", "deep": "1"}).content.decode()
    assert "?at=2#e2" in deep
    assert "scanned." in deep


def test_only_the_chosen_project_is_searched(client: Client, imported: None) -> None:
    project = Project.objects.get().pk
    for deep in ("", "1"):
        here = client.get("/search/", {"q": "lighthouse", "deep": deep, "project": project})
        assert "?at=0#e0" in here.content.decode()
        elsewhere = client.get("/search/", {"q": "lighthouse", "deep": deep, "project": project + 1})
        assert "?at=0#e0" not in elsewhere.content.decode()


def test_a_scan_goes_on_by_itself_or_by_a_link_and_can_be_stopped(client: Client, tmp_path: Path) -> None:
    for number in range(3):
        write(
            tmp_path / "projects" / "p" / f"{number}.jsonl",
            *(user_record(n, f"walrus {number} {n}") for n in range(60)),
        )
    sync([tmp_path], workers=1)
    html = client.get("/search/", {"q": "walrus", "deep": "1"}).content.decode()
    rest = "/search/?q=walrus&amp;deep=1&amp;cursor=1"
    assert f'<a href="{rest}" hx-get="{rest}" hx-trigger="load" hx-target="#deep-slice"' in html
    assert '<a class="button" href="/search/?q=walrus">Cancel</a>' in html
    assert "<progress" in html

    parameters = {"q": "walrus", "deep": "1", "cursor": "1"}
    headers = {"HX-Request": "true", "HX-Target": "deep-slice"}
    following = client.get("/search/", parameters, headers=headers).content.decode()
    assert "<html" not in following
    assert following.count('<li class="hit item">') == 60
    assert "cursor=2" in following

    plain = client.get("/search/", {"q": "walrus", "deep": "1", "cursor": "2"}).content.decode()
    assert "<html" in plain
    assert "In conversations" not in plain
    assert "scanned." in plain


@pytest.mark.parametrize("query", ['"', "*", "AND OR NOT", "a\0b", "(", "col:x", "😀" * 500, "%_", "-"])
def test_no_query_breaks_the_page(client: Client, imported: None, query: str) -> None:
    assert client.get("/search/", {"q": query, "deep": "1"}).status_code == 200


@pytest.mark.parametrize(
    ("name", "value"), [("cursor", "²"), ("cursor", "-1"), ("before", "0"), ("project", "x"), ("deep", "deeper")]
)
def test_a_parameter_that_makes_no_sense_is_ignored_and_said(
    client: Client, imported: None, name: str, value: str
) -> None:
    response = client.get("/search/", {"q": "lighthouse", name: value})
    assert response.status_code == 200
    assert f"<b>{name}</b> was ignored" in response.content.decode()


def test_older_hits_are_on_the_next_page(client: Client, tmp_path: Path) -> None:
    write(tmp_path / "projects" / "p" / "one.jsonl", *(user_record(number, f"walrus {number}") for number in range(40)))
    sync([tmp_path], workers=1)
    first = client.get("/search/", {"q": "walrus"}).content.decode()
    assert first.count('<li class="hit item">') == 10
    assert 'href="?q=walrus&amp;before=10"' in first
    second = client.get("/search/", {"q": "walrus", "before": "30"}).content.decode()
    assert second.count('<li class="hit item">') == 10
    assert 'rel="next"' not in second


def test_the_end_of_the_hits_fetches_more_of_them(client: Client, tmp_path: Path) -> None:
    write(tmp_path / "projects" / "p" / "one.jsonl", *(user_record(number, f"walrus {number}") for number in range(50)))
    sync([tmp_path], workers=1)
    headers = {"HX-Request": "true", "HX-Target": "more-hits"}
    piece = client.get("/search/", {"q": "walrus", "before": "10"}, headers=headers).content.decode()
    assert "<html" not in piece
    assert piece.count('<li class="hit item">') == 30
    assert 'hx-get="?q=walrus&amp;before=40"' in piece


def test_a_hit_without_a_time_or_a_title_is_still_a_hit() -> None:
    hit = Hit("one", "one", "", "", "atlas", "L4", 4, None, "user", (("before ", False), ("word", True)))
    html = render_to_string("sessions/search/search.html", {"query": "word", "results": SearchPage((hit,), None, None)})
    assert "Untitled session" in html
    assert "before <mark>word</mark>" in html
    assert "many hits" in html


def test_without_a_query_the_page_says_what_it_searches(client: Client) -> None:
    assert "Search what was said" in client.get("/search/").content.decode()
