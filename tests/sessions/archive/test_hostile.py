"""Transcripts that are out to break the import, the pages or the reader's browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from sessions.archive.selectors.records import Reader
from sessions.imports.services.sync import sync
from sessions.models import Entry, Problem, Request, Source, Transcript
from sessions.search.selectors.indexed_search import search_index
from tests.sessions.crawling import FAR_OR_NEAR, crawl
from tests.sessions.hostile import PAYLOAD, SCRIPT, everywhere, save_with_family
from tests.sessions.writing import Writing, append, line

pytestmark = pytest.mark.django_db(transaction=True)

SESSION = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "config" / "projects" / "-home-dev-tidewatch"


def config(project: Path) -> Path:
    return project.parents[1]


def write(project: Path, *lines: bytes) -> Path:
    project.mkdir(parents=True)
    path = project / f"{SESSION}.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def get(client: Client, address: str) -> str:
    answer = client.get(address, headers={"host": "localhost"})
    assert answer.status_code == 200, address
    return answer.content.decode()


@pytest.mark.parametrize("most", [5, pytest.param(None, id="all pages", marks=pytest.mark.long)])
def test_nothing_executes_wherever_a_transcript_holds_a_script(client: Client, project: Path, most: int | None) -> None:
    writing = everywhere(PAYLOAD)
    path = save_with_family(writing, project, PAYLOAD, "<script>alert('name').txt")
    with path.open("ab") as file:
        file.write(f"{SCRIPT} is no record\n".encode())

    report = sync([config(project)])

    assert (report.failed, report.skipped, report.bad_lines) == ([], [], 1)
    session = f"/sessions/{writing.session}/"
    request = quote(PAYLOAD)
    pages = ["/", "/odd/", "/retention/", "/import/", "/runs/indicator/", f"/palette/?q={request}"]
    pages += [f"{session}{part}" for part in ("", "?all=1", "agents/", "live/?after=0", f"find/?q={request}")]
    pages += [f"/sessions/?{name}={request}" for name in ("text", "branch", "model", "sort", "since", "project")]
    pages += [f"/search/?q={request}", f"/search/?q=spilled&deep=1&project={request}"]
    seen = crawl(client, pages, most=most)
    assert sum(status == 200 for status in seen.values()) > (60 if most else 200)


@FAR_OR_NEAR
def test_numbers_of_any_size_are_no_numbers(client: Client, project: Path, most: int | None) -> None:
    writing = Writing()
    writing.user("Count")
    for number, value in enumerate((10**30, -(10**30), 1e308, -1, 2**63, 10**19, "12", True, None, [1], {"a": 1})):
        usage: dict[str, Any] = dict.fromkeys(("input_tokens", "output_tokens", "cache_read_input_tokens"), value)
        usage["cache_creation"] = {"ephemeral_5m_input_tokens": value, "ephemeral_1h_input_tokens": value}
        writing.assistant("a", message=f"msg_{number}", usage=usage, timestamp=value)
        writing.row("system", subtype="compact_boundary", compactMetadata={"preTokens": value, "durationMs": value})
        writing.row("system", subtype="turn_duration", durationMs=value, messageCount=value)
        writing.state("cost-state", totalCostUSD=value)
    huge = (
        b'{"type":"user","uuid":"n","timestamp":' + b"9" * 10_000 + b',"message":{"content":' + b"9" * 10_000 + b"}}\n"
    )
    write(project, *writing.lines(), huge, b'{"type":"user","message":{"content":1e999}}\n', b'{"n":NaN}\n')

    report = sync([config(project)])

    assert report.failed == []
    assert len(Entry.objects.all()) == Transcript.objects.get().entries >= len(writing.records)
    assert all(0 <= request.output <= 10**12 for request in Request.objects.all())
    crawl(client, ["/", f"/sessions/{SESSION}/?all=1"], most=most)


def test_a_line_of_twelve_megabytes_is_read_shown_and_found(client: Client, project: Path) -> None:
    writing = Writing().turns(1)
    writing.call("Bash", "toolu_large", command="tide --everything")
    writing.result("toolu_large", "high water\n" * 1_200_000 + "needle in the output")
    writing.user("x " * 400_000 + "needle in the text")
    path = writing.save(project)

    report = sync([config(project)])

    assert (report.entries, report.bad_lines) == (7, 0)
    source = Source.objects.get()
    assert Reader(source.pk).read(0, source.archived) == path.read_bytes()
    assert len(get(client, f"/sessions/{SESSION}/")) < 300_000
    assert [hit.position for hit in search_index("needle").hits] == [6]
    assert "L5" in get(client, f"/sessions/{SESSION}/entries/L5/")
    assert len(get(client, f"/sessions/{SESSION}/entries/L5/raw/")) < 3_000_000


def nested(depth: int, value: str) -> bytes:
    return (
        b'{"type":"user","uuid":"deep","message":{"content":'
        + b'[{"a":' * depth
        + value.encode()
        + b"}]" * depth
        + b"}}\n"
    )


@FAR_OR_NEAR
def test_nesting_of_any_depth_is_kept_and_reported(client: Client, project: Path, most: int | None) -> None:
    good = Writing().turns(1)
    lines = [nested(depth, '"tide"') for depth in (50, 300, 900, 5_000, 200_000)]
    path = write(project, *lines, b"[" * 1_000_000 + b"\n", b'{"a":' * 300_000 + b"\n", *good.lines())

    report = sync([config(project)])

    assert report.lines == 7 + len(good.records)
    assert Problem.objects.count() == report.bad_lines
    assert Transcript.objects.get().entries == report.entries + report.recovered_entries
    source = Source.objects.get()
    assert Reader(source.pk).read(0, source.archived) == path.read_bytes()
    crawl(client, ["/", "/odd/", f"/sessions/{SESSION}/?all=1", "/search/?q=tide&deep=1"], most=most)


def test_a_hundred_thousand_tiny_records_are_read_and_shown_in_windows(client: Client, project: Path) -> None:
    kinds = (b'{"type":"user","message":{"content":"tide"}}\n', b'{"type":"x"}\n', b"{}\n", b'{"type":"mode"}\n')
    write(project, b"".join(kinds) * 25_000)

    report = sync([config(project)])

    assert (report.entries, report.bad_lines) == (100_000, 0)
    for part in ("", "?at=end", "?at=50000", "?all=1&at=99999", "live/?after=99990", "find/?q=tide"):
        assert len(get(client, f"/sessions/{SESSION}/{part}")) < 400_000
    assert len(search_index("tide", limit=20).hits) == 20


def test_one_uuid_and_one_tool_id_for_all_records_cost_no_more_than_they_should(client: Client, project: Path) -> None:
    writing = Writing()
    writing.user("First", uuid="same")
    for number in range(3_000):
        writing.row("assistant", uuid="same", parent="same", message=answer(f"msg_{number}", "one-tool"))
        writing.row("user", uuid="same", parent="same", message={"content": [result("one-tool", f"output {number}")]})
    path = writing.save(project)
    other = project / "22222222-2222-4333-8444-555555555555.jsonl"
    other.write_bytes(path.read_bytes())

    report = sync([config(project)])
    for part in ("", "?at=end", "live/?after=3000", "entries/same/", "agents/"):
        get(client, f"/sessions/{SESSION}/{part}")
    append(path, writing.records[-1])
    sync([config(project)])

    assert report.entries == 2 * 6_001
    assert Transcript.objects.get(public_id=SESSION).entries == 6_002


def answer(message: str, tool: str) -> dict[str, Any]:
    call = {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": "tide"}}
    return {"id": message, "role": "assistant", "model": "claude-opus-5-5", "content": [call]}


def result(tool: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool, "content": text}


@FAR_OR_NEAR
def test_cycles_and_parents_of_any_shape_end(client: Client, project: Path, most: int | None) -> None:
    records: list[dict[str, Any]] = [
        {"type": "user", "uuid": f"u{n}", "parentUuid": f"u{(n + 1) % 50}", "message": {"content": "x"}}
        for n in range(50)
    ]
    records += [{"type": "user", "uuid": "self", "parentUuid": "self", "message": {"content": "x"}}]
    shapes: list[Any] = [None, 7, [], {}, "", True, [[]]]
    records += [
        {"type": kind, "uuid": odd, "parentUuid": odd, "message": odd, "timestamp": odd}
        for kind in ("user", "assistant", "system", "attachment", "progress", "summary")
        for odd in shapes
    ]
    write(project, *(line(record) for record in records))
    assert sync([config(project)]).entries == len(records)
    crawl(client, [f"/sessions/{SESSION}/?all=1"], most=most)


@pytest.mark.parametrize(
    "meta",
    [
        b"[1]",
        b"{",
        b"NaN",
        b'{"description": NaN}',
        b'{"description":' + b"[" * 50_000,
        b'{"a":"\\ud800"}',
        b"\xff",
        b"{}" * 1_000_000,
    ],
)
def test_a_meta_file_of_any_content_is_only_a_note(client: Client, project: Path, meta: bytes) -> None:
    Writing().turns(1).save(project)
    agents = project / SESSION / "subagents"
    Writing().turns(1).save(agents, "agent-abc")
    (agents / "agent-abc.meta.json").write_bytes(meta)

    assert sync([config(project)]).entries == 8
    get(client, f"/sessions/{SESSION}/agents/")


def test_what_the_settings_of_the_agent_say_cannot_break_the_pages(
    client: Client, tmp_path: Path, settings: Any
) -> None:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    for words in ("[]", "{", json.dumps({"cleanupPeriodDays": 10**30}), '{"cleanupPeriodDays": NaN}', "[" * 100_000):
        (tmp_path / "settings.json").write_text(words)
        get(client, "/retention/")
