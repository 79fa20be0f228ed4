from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.catalog.selectors.sessions import SORTS
from sessions.models import Project, Source, Transcript
from tests.pages import fetch
from tests.sessions.made import DAY, HOSTILE, NOW, project, session, unsaved

pytestmark = pytest.mark.django_db


def titles(client: Client, **parameters: Any) -> list[str]:
    response = client.get("/sessions/", parameters)
    assert response.status_code == 200
    return [line.transcript.title for line in response.context["lines"]]


def page(client: Client, **parameters: Any) -> str:
    return fetch(client, f"/sessions/?{urlencode(parameters)}")


def many(number: int) -> None:
    projects = [project(f"/home/dev/p{index}") for index in range(20)]
    made = [
        unsaved(
            index,
            project=projects[index % 20],
            last_at=NOW - index * 1000,
            branch=f"branch-{index % 40}",
            branches=f"\nbranch-{index % 40}\n",
            model_names="\nclaude-x\nclaude-y\n",
        )
        for index in range(number)
    ]
    Source.objects.bulk_create([source for source, _ in made])
    for source, transcript in made:
        transcript.source = source
    Transcript.objects.bulk_create([transcript for _, transcript in made])


def test_1500_sessions_take_at_most_8_queries(client: Client) -> None:
    many(1500)
    with CaptureQueriesContext(connection) as queries:
        response = client.get("/sessions/?sort=tokens&page=7")
    assert response.status_code == 200
    assert len(response.context["lines"]) == 50
    assert len(queries) <= 8


def test_1500_sessions_make_30_pages_and_the_last_is_the_nearest_to_one_beyond(client: Client) -> None:
    many(1500)
    assert "1451–1500 of 1500 sessions" in page(client, page=31)
    assert titles(client, page=2)[0] == "Session 50"


def test_the_latest_session_comes_first(client: Client) -> None:
    session(title="old", last_at=NOW - DAY)
    session(title="new", last_at=NOW)
    session(title="timeless", last_at=None)
    assert titles(client) == ["new", "old", "timeless"]


def test_sub_agents_and_earlier_versions_of_a_file_are_not_listed(client: Client) -> None:
    parent = session(title="main")
    session(title="agent", kind=Transcript.Kind.AGENT, parent=parent)
    session(title="earlier", state=Source.State.REPLACED)
    assert titles(client) == ["main"]


def test_what_sub_agents_cost_is_told_beside_the_session_and_not_hidden_in_it(client: Client) -> None:
    parent = session(cost=1.0)
    for _ in range(2):
        session(kind=Transcript.Kind.AGENT, parent=parent, cost=0.25, output=2000)
    html = page(client)
    assert "$1.00" in html
    assert "+2 agents" in html
    assert "4.0k tokens, $0.50" in html


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ({"branch": "fix"}, ["branched"]),
        ({"model": "claude-b"}, ["switched"]),
        ({"since": "2025-10-01", "until": "2025-10-02"}, ["old"]),
        ({"compacted": "1"}, ["compacted"]),
        ({"failed": "1"}, ["failing"]),
        ({"text": "BRANCHED"}, ["branched"]),
        ({"text": "words of a prompt"}, ["old"]),
        ({"kind": "vanished"}, ["gone"]),
        ({"kind": "continued"}, ["switched"]),
        ({"kind": "fork"}, ["failing"]),
    ],
)
def test_a_filter_keeps_what_it_names(client: Client, parameters: dict[str, str], found: list[str]) -> None:
    session(title="branched", branch="main", branches="\nmain\nfix\n")
    session(title="switched", model_names="\nclaude-a\nclaude-b\n", continued_in="another")
    # 2025-10-01 12:00 UTC
    old = session(title="old", last_at=1_759_320_000_000, first_prompt="The words of a prompt")
    session(title="compacted", compactions=2)
    session(title="failing", errors=3, forked_from=old)
    session(title="gone", state=Source.State.VANISHED)
    assert titles(client, **parameters) == found


def test_a_project_can_be_chosen(client: Client) -> None:
    session(title="here", project=project("/home/dev/here"))
    session(title="there", project=project("/home/dev/there"))
    chosen = Project.objects.get(cwd="/home/dev/here")
    assert titles(client, project=chosen.pk) == ["here"]
    assert "/home/dev/here" in page(client, project=chosen.pk)


def test_a_branch_is_found_by_its_whole_name_only(client: Client) -> None:
    session(title="one", branch="fix", branches="\nfix\n")
    session(title="two", branch="fix-more", branches="\nfix-more\n")
    assert titles(client, branch="fix") == ["one"]


def test_a_session_whose_file_is_being_written_is_live(client: Client) -> None:
    now = int(time.time() * 1000)
    session(title="now", written_at=now, last_at=now)
    session(title="then", written_at=NOW)
    assert titles(client, kind="live") == ["now"]
    assert page(client).count("is-live") == 1


def test_an_old_session_that_was_unpacked_just_now_is_not_live(client: Client) -> None:
    session(title="restored", written_at=int(time.time() * 1000), last_at=NOW)
    assert titles(client, kind="live") == []
    assert "is-live" not in page(client)


@pytest.mark.parametrize("sort", SORTS)
def test_every_column_sorts_in_both_directions(client: Client, sort: str) -> None:
    session(
        title="a", project=project("/a"), branch="a", model_names="\na\n", first_at=NOW - 10, last_at=NOW - 5, turns=1,
        cache_breaks=1,
    )  # fmt: skip
    session(
        title="b", project=project("/b"), branch="b", model_names="\nb\n", first_at=NOW - 99, last_at=NOW, turns=2,
        entries=2, output=2, cost=2, compactions=2, errors=2, cache_breaks=2,
    )  # fmt: skip
    assert titles(client, sort=sort) == ["a", "b"]
    assert titles(client, sort=f"-{sort}") == ["b", "a"]


def test_a_second_click_on_a_column_turns_the_order_around(client: Client) -> None:
    session()
    assert 'href="?sort=-cost"' in page(client)
    assert 'href="?sort=cost"' in page(client, sort="-cost")
    assert 'href="?sort=title"' in page(client)
    assert 'aria-sort="descending"' in page(client, sort="-cost")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("project", "drop table"),
        ("project", "9" * 5000),
        ("since", "2020-99-99"),
        ("until", "0000-00-00"),
        ("sort", "password"),
        ("page", "-1"),
        ("page", "1e9"),
        ("kind", "nothing"),
        ("model", "a\0b"),
        ("compacted", "maybe"),
    ],
)
def test_a_filter_that_makes_no_sense_is_ignored_and_said(client: Client, name: str, value: str) -> None:
    session(title="still here")
    response = client.get("/sessions/", {name: value})
    assert response.status_code == 200
    assert f"The filter <b>{name}</b> was ignored" in response.content.decode()
    assert [line.transcript.title for line in response.context["lines"]] == ["still here"]


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_are_dates_like_any_other(client: Client, day: str) -> None:
    session()
    assert client.get("/sessions/", {"since": day, "until": day}).status_code == 200


def test_a_cost_that_is_not_known_is_never_a_number(client: Client) -> None:
    session(title="priced", cost=0.31)
    assert "$0.31" in page(client)
    session(title="partly", cost=0.5, unpriced=2)
    assert "≥ $0.50" in page(client)
    session(title="not at all", cost=0, unpriced=2)
    assert ">unknown</span>" in page(client)


def test_badges_tell_forks_and_sessions_that_live_in_the_archive_alone(client: Client) -> None:
    session(title="origin", state=Source.State.VANISHED)
    origin = Transcript.objects.get()
    session(title="fork", forked_from=origin, copies=3)
    session(title="export", forked_from=origin)
    html = page(client)
    assert html.count(">archive only<") == 1
    assert html.count(">fork<") == 1
    assert html.count(">made here<") == 1


def test_hostile_words_are_shown_as_words(client: Client) -> None:
    lines = f"\n{HOSTILE}\n"
    session(title=HOSTILE, branch=HOSTILE, branches=lines, model_names=lines, project=project(f"/x/{HOSTILE}"))
    html = page(client, text=HOSTILE[:20], branch=HOSTILE, model=HOSTILE)
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "&lt;script&gt;alert" in html


def test_htmx_gets_the_table_alone_under_the_same_address(client: Client) -> None:
    session()
    headers = {"HX-Request": "true", "HX-Target": "sessions"}
    response = client.get("/sessions/", headers=headers)
    assert response.content.decode().lstrip().startswith('<section id="sessions"')
    assert "HX-Request" in response["Vary"]
    back = client.get("/sessions/", headers={**headers, "HX-History-Restore-Request": "true"})
    assert back.content.decode().lstrip().startswith("<!doctype html>")


def test_filters_and_order_work_without_javascript(client: Client) -> None:
    session()
    html = page(client, sort="-cost", text="Session")
    assert '<form id="filters" class="toolbar" action="/sessions/"' in html
    assert '<input type="hidden" name="sort" value="-cost" form="filters">' in html
    assert 'href="?sort=-cost" title="Remove this filter"' in html


def test_an_empty_list_says_what_to_do(client: Client) -> None:
    assert "lucid import PATH" in page(client)
    session()
    assert "No session fits these filters" in page(client, text="nowhere")


def test_only_reading_is_possible(client: Client) -> None:
    assert client.post("/sessions/").status_code == 405
