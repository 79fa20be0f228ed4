from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TypeVar

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compaction.models import CacheBreak, CacheScan
from inspector.runs.models import Run
from sessions.models import Project, Source, Transcript
from tests.compaction.cache.breaking_session import GREP, Breaking
from tests.compaction.logged import TOOLS
from tests.pages import HTMX, fetch

pytestmark = pytest.mark.django_db
M = TypeVar("M", Source, Transcript, CacheScan, CacheBreak)
DAY = 86_400_000
KEY = "sk-ant-api03-" + "a1B2" * 20


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    return tmp_path / "projects"


def page(client: Client, query: str = "", **headers: str) -> str:
    return fetch(client, f"/cache/{query}", **headers)


def broken(projects: Path, name: str, session: str, model: str = "claude-opus-5-5") -> Transcript:
    file = Breaking(project=projects / name, session=f"{session * 8}-2222-4333-8444-555555555555")
    file.turn(grows=20_000)
    file.turn()
    file.turn(tools=[*TOOLS, GREP], read=0, message=f"msg_{session}_broke")
    for record in file.records:
        record["cwd"] = f"/home/dev/{name}"
    return file.looked_into()


def test_it_adds_up_all_sessions_and_names_what_cost_most(client: Client, projects: Path) -> None:
    broken(projects, "-tide", "a")
    broken(projects, "-moor", "b")
    html = page(client)
    cost = sum(cache_break.cost or 0 for cache_break in CacheBreak.objects.all())
    assert f"The cache of all sessions broke twice unexpectedly, which cost ${cost:.2f}" in html
    assert "The cause was the same each time: tools changed." in html
    assert html.count('<li class="break item') == 2
    assert re.search(r"Tools changed ?<svg", html)


def test_a_project_is_reported_alone(client: Client, projects: Path) -> None:
    here = broken(projects, "-tide", "a")
    there = broken(projects, "-moor", "b")
    html = page(client, f"?project={here.project_id}")
    assert f"The cache of the sessions of {here.project.name} broke once" in html
    assert f"/sessions/{here.public_id}/cache/" in html
    assert f"/sessions/{there.public_id}/cache/" not in html
    assert f'href="/cache/breaks.csv?project={here.project_id}"' in html


def test_days_of_the_trend_have_their_figures(client: Client, projects: Path) -> None:
    broken(projects, "-tide", "a")
    second = broken(projects, "-moor", "b")
    CacheBreak.objects.filter(session=second).update(at=F("at") + 3 * DAY)
    html = page(client)
    labels = re.findall(r"<title>(\d{4}-\d\d-\d\d): (\d) break", html)
    assert [count for _, count in labels] == ["1", "0", "0", "1"]


def test_long_times_are_told_by_the_week(client: Client, projects: Path) -> None:
    broken(projects, "-tide", "a")
    second = broken(projects, "-moor", "b")
    CacheBreak.objects.filter(session=second).update(at=F("at") + 100 * DAY)
    html = page(client)
    assert "by week" in html
    assert 14 <= html.count("<title>week of ") <= 16


def test_without_any_session_it_says_what_this_is(client: Client) -> None:
    html = page(client)
    assert "Nothing was looked into yet" in html
    assert 'aria-current="page">Cache</a>' in html


def test_sessions_that_nobody_looked_into_are_counted_and_can_be(client: Client, projects: Path) -> None:
    broken(projects, "-tide", "a")
    file = Breaking(project=projects / "-moor", session="b" * 8 + "-2222-4333-8444-555555555555")
    file.turn()
    file.read()
    assert "1 session was not looked into yet." in page(client)
    client.post("/runs/start/", {"kind": "cache diff"})
    run = Run.objects.get(kind="cache diff")
    assert f'href="/runs/{run.pk}/"' in page(client)
    assert page(client, **HTMX, **{"HX-Target": "report"}).lstrip().startswith('<div id="report"')


def test_the_queries_do_not_grow_with_the_sessions(client: Client, projects: Path) -> None:
    pattern = broken(projects, "-tide", "a")
    first, scan = CacheBreak.objects.get(), CacheScan.objects.get()
    made = Project.objects.bulk_create([Project(directory=f"/p/{n}", cwd=f"/home/dev/p{n}") for n in range(40)])
    sources = Source.objects.bulk_create(
        [_copy(pattern.source, path=f"/p/{n}.jsonl", inode=n + 10**6) for n in range(1500)]
    )
    rows = Transcript.objects.bulk_create(
        [
            _copy(pattern, source=source, project=made[n % 40], public_id=f"s{n}", session_id=f"s{n}")
            for n, source in enumerate(sources)
        ]
    )
    CacheScan.objects.bulk_create([_copy(scan, transcript=row) for row in rows])
    CacheBreak.objects.bulk_create(
        [_copy(first, session=row, transcript=row, at=(first.at or 0) + n * 3_600_000) for n, row in enumerate(rows)]
    )
    with CaptureQueriesContext(connection) as caught:
        html = page(client)
    assert "broke 1,501 times" in html
    assert len(caught) <= 10
    assert len(html) < 200_000
    second = page(client, "?page=3", **HTMX, **{"HX-Target": "breaks"})
    assert second.count('<li class="break item') == 20


def _copy(row: M, **changes: object) -> M:
    values = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    for name, value in changes.items():
        known = f"{name}_id" if f"{name}_id" in values else name
        values[known] = getattr(value, "pk", value)
    return type(row)(**values)


def table(client: Client, query: str = "") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(f"/cache/breaks.csv{query}").content.decode())))


def test_breaks_are_downloaded_as_json_and_as_a_table(client: Client, projects: Path) -> None:
    here = broken(projects, "-tide", "a")
    broken(projects, "-moor", "b")
    response = client.get("/cache/breaks.json")
    assert response["Content-Type"] == "application/json"
    data = json.loads(response.content)
    assert [item["causes"] for item in data] == [["tools_changed"], ["tools_changed"]]
    assert {"session", "message_id", "at", "wasted_tokens", "cost_usd", "expected", "detail"} <= data[0].keys()
    rows = table(client, f"?project={here.project_id}")
    assert [row["session"] for row in rows] == [here.public_id]
    assert rows[0]["wasted_tokens"] == "25000"


def test_a_download_masks_secrets_and_holds_no_formula(client: Client, projects: Path) -> None:
    broken(projects, "-tide", "a")
    cause = {
        "name": "tools_changed",
        "confidence": "high",
        "sentence": f"=HYPERLINK({KEY})",
        "positions": [],
        "size": {},
    }
    CacheBreak.objects.update(causes=[cause], message_id="=1+1")
    for name in ("csv", "json"):
        assert KEY[20:] not in client.get(f"/cache/breaks.{name}").content.decode()
    (row,) = table(client)
    assert row["message_id"] == "'=1+1"
    assert row["detail"].startswith("'=HYPERLINK(")


@pytest.mark.parametrize("query", ["?project=²", f"?project={'9' * 400}", "?page=-1", "?page=99", "?project=0"])
def test_any_wish_gets_an_answer(client: Client, projects: Path, query: str) -> None:
    broken(projects, "-tide", "a")
    page(client, query)
    assert client.get(f"/cache/breaks.csv{query}").status_code == 200


def test_the_palette_leads_to_it(client: Client) -> None:
    assert 'href="/cache/"' in client.get("/palette/?q=cache").content.decode()
