"""No record, however odd, keeps a page from being made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.template import engines
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.timeline.engine.cards import Card, build_cards
from sessions.transcripts.engine.rows import Row
from tests.examples import examples
from tests.samples import each, transcripts
from tests.sessions.timeline.engine.cards.window import assistant, call, result, results_in, row, unmasked, user

FILES = [*transcripts("corpus"), *transcripts("realclient")]
PAGE = "{% load lucid %}{% for one in cards %}{% card one %}{% endfor %}"


class Session:
    public_id = "s-1"


def rendered(cards: list[Card]) -> str:
    return str(engines["django"].from_string(PAGE).render({"cards": cards, "session": Session}))


def rows_of(path: Path) -> list[Row]:
    rows: list[Row] = []
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            rows.append(row(record, len(rows)))
    return rows


@pytest.mark.parametrize("path", each(FILES, every=4), ids=lambda path: path.stem[:12])
def test_every_real_record_has_its_place_in_a_page_of_bearable_size(path: Path) -> None:
    rows = rows_of(path)
    results = results_in(rows)
    for start in range(0, len(rows), 100):
        window = rows[start : start + 100]
        cards = build_cards(window, results, mask=unmasked)
        covered = {position for card in cards for position in card.rows}
        assert covered >= {item.position for item in window}
        assert len(rendered(cards).encode()) < 150_000


@pytest.mark.parametrize("path", each(FILES, every=4), ids=lambda path: path.stem[:12])
def test_real_records_can_be_shown_whole(path: Path) -> None:
    rows = rows_of(path)
    results = results_in(rows)
    for item in rows[:: max(1, len(rows) // 15)]:
        assert rendered(build_cards([item], results, mask=unmasked, whole=True))


def test_no_window_outgrows_its_page() -> None:
    prose = "# Head\n\n- **bold** `code` [link](https://example.com/a)\n\n```python\nx = [1, 'a']\n```\n" * 100
    for record in (
        assistant({"type": "text", "text": prose}),
        user("<b>word</b> & " * 1_000),
        call("Bash", {"command": "echo '<x>'\n" * 30}),
        call("TodoWrite", {"todos": [{"content": "x & y " * 40}] * 40}),
        call("mcp__a__b", {f"key{n}": "<value> & " * 100 for n in range(20)}),
        call("Agent", {"prompt": prose}),
    ):
        rows = [row(record, position) for position in range(100)]
        made = build_cards(rows, {"t-1": row(result(prose))}, mask=unmasked)
        assert len(rendered(made).encode()) < 150_000
        assert len(made) == 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from(["text", "image"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TOOLS = """
Bash Read Edit MultiEdit Write NotebookEdit Grep Glob TodoWrite TaskCreate TaskUpdate TaskList TaskOutput Agent WebFetch
WebSearch Skill AskUserQuestion ExitPlanMode ToolSearch SendMessage mcp__a__b Other
"""
SEEDS: list[dict[str, Any]] = [
    user("hello"),
    user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}]),
    assistant({"type": "text", "text": "x"}, {"type": "thinking", "thinking": "", "signature": "s"}),
    assistant({"type": "advisor_tool_result", "content": {}}, {"type": "web_search_tool_result", "content": []}),
    *(
        call(name, {"file_path": "/a", "command": "x", "edits": [{}], "todos": [{}], "questions": [{}]})
        for name in TOOLS
    ),
    result(
        "ok", {"structuredPatch": [{"lines": ["-a", "+b"]}], "file": {}, "answers": {}, "results": [{}], "task": {}}
    ),
    result([{"type": "text", "text": "<persisted-output>\nOutput too large (1KB)"}], error=True),
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preservedMessages": {"uuids": []}}},
    {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": []}},
    {"type": "system", "subtype": "snip_boundary", "snipMetadata": {"removedUuids": []}},
    {"type": "system", "subtype": "api_error", "error": {"error": {"error": {}}, "cause": {}}},
    {"type": "system", "subtype": "stop_hook_summary", "hookInfos": [{}], "hookErrors": []},
    {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x", "origin": {"kind": "human"}}},
    {"type": "attachment", "attachment": {"type": "deferred_tools_delta", "addedNames": []}},
    {"type": "progress", "data": {"type": "agent_progress"}},
    {"type": "cost-state", "totalCostUSD": 1},
    {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {}}},
]


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A known record with a few of its values, at any depth, replaced by anything."""
    record: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(SEEDS))))
    for _ in range(draw(st.integers(1, 3))):
        place: Any = record
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and draw(st.booleans()):
                place = place[key]
                continue
            place[key] = draw(JSON)
            break
    return record


@settings(max_examples=examples(60, share=5), deadline=None)
@given(st.lists(mutated(), min_size=1, max_size=6), st.booleans())
def test_mutated_records_make_cards_and_pages(records: list[dict[str, Any]], whole: bool) -> None:
    rows = [row(record, position) for position, record in enumerate(records)]
    cards = build_cards(rows, results_in(rows), mask=unmasked, whole=whole, at_end=True)
    assert {position for card in cards for position in card.rows} >= set(range(len(rows)))
    rendered(cards).encode()
