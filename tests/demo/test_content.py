"""What the demo must have in it, and what it must not."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.demo import names
from tests.demo.reading import Record, blocks, calls, records, usages

TOOLS = {"Bash", "Read", "Edit", "Write", "Grep", "Glob", "WebFetch", "WebSearch", "AskUserQuestion", "ExitPlanMode"}
TOOLS |= {"Skill", "ToolSearch", "TaskCreate", "TaskUpdate", "mcp__tides__lookup"}
ATTACHMENTS = {"hook_success", "hook_blocking_error", "queued_command", "nested_memory", "deferred_tools_delta"}
ATTACHMENTS |= {"total_tokens_reminder", "prompt_snapshot", "environment", "model", "instructions", "file", "plan_mode"}
STATES = {"api-request", "api-request-shape", "api-request-blob", "cost-state", "pr-link", "content-replacement"}
STATES |= {"ai-title", "mode", "permission-mode", "last-prompt", "queue-operation", "file-history-snapshot"}
SUBTYPES = {"compact_boundary", "microcompact_boundary", "snip_boundary", "api_error", "turn_duration"}


def long() -> list[Record]:
    return records(names.expected("long").path)


def test_the_long_session_has_every_tool_and_every_kind_of_record() -> None:
    rows = long()
    used = {block["name"] for row in rows if row["type"] == "assistant" for block in blocks(row) if "name" in block}
    assert used >= TOOLS
    assert {row["attachment"]["type"] for row in rows if row["type"] == "attachment"} >= ATTACHMENTS
    assert {row["type"] for row in rows} >= STATES
    assert {row["subtype"] for row in rows if row["type"] == "system"} >= SUBTYPES


def test_thinking_is_both_shown_and_withheld() -> None:
    thoughts = [block for row in long() if row["type"] == "assistant" for block in blocks(row) if "thinking" in block]
    assert all(block["signature"] for block in thoughts)
    assert {bool(block["thinking"]) for block in thoughts} == {True, False}


def test_images_are_pasted_and_returned() -> None:
    rows = {row["uuid"]: row for row in long() if "uuid" in row}
    pasted = blocks(rows[names.uuid("long", "pasted chart")])
    returned = blocks(rows[names.uuid("long", "read chart result")])[0]["content"]
    for image in (pasted[1], returned[0]):
        assert image["source"]["data"].startswith("iVBORw0KGgo")


def test_models_are_switched_to_one_without_a_known_price() -> None:
    models = names.expected("long").models
    assert list(models) == ["claude-opus-5-5", "claude-sonnet-5-5", names.THIRD_PARTY_MODEL]
    third = [row for row in long() if row["type"] == "assistant" and row["message"]["model"] == names.THIRD_PARTY_MODEL]
    assert third
    assert not any("requestId" in row for row in third)


def test_a_healthy_loop_reads_what_was_written_before() -> None:
    """Breaks are few and planned: model switches, another tool list, a pause, a snip, cleared results, compactions."""
    reads: Counter[bool] = Counter()
    before = 0
    for usage in usages(long()).values():
        reads[usage["cache_read_input_tokens"] >= before] += 1
        before = usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
    assert 6 <= reads[False] <= 12
    assert reads[True] > 60


def test_the_memory_written_in_the_session_is_the_file() -> None:
    rows = {row["uuid"]: row for row in long() if "uuid" in row}
    text = (names.MEMORY / "metres-two-decimals.md").read_text("utf-8")
    assert rows[names.uuid("long", "write memory result")]["toolUseResult"]["content"] == text
    assert f"originSessionId: {names.LONG}" in text


def test_the_index_of_the_memory_has_an_orphan_and_a_dangling_line() -> None:
    index = (names.MEMORY / "MEMORY.md").read_text("utf-8")
    pointed = set(re.findall(r"\(([a-z-]+\.md)\)", index))
    there = {path.name for path in names.MEMORY.glob("*.md")} - {"MEMORY.md"}
    assert there - pointed == {"orphan-moorings.md"}
    assert pointed - there == {"harbour-contacts.md"}


def test_the_notes_have_their_ten_sections() -> None:
    notes = (names.PROJECT / names.LONG / "session-memory" / "summary.md").read_text("utf-8")
    assert len(re.findall(r"^# ", notes, re.M)) == 10
    assert len(re.findall(r"^_.+_$", notes, re.M)) == 10


def test_broken_lines_are_broken_as_announced() -> None:
    expected = names.expected("odd")
    data = expected.path.read_bytes()
    lines = data.split(b"\n")
    odd_lines = expected.odd_lines
    assert b"}{" in lines[odd_lines["glued"] - 1]
    assert lines[odd_lines["nul run"] - 1].startswith(b"\0" * 64)
    assert "\u2028".encode() in lines[odd_lines["line separator"] - 1]
    assert b"\\ud83c" in lines[odd_lines["lone surrogate"] - 1]
    assert not data.endswith(b"\n")
    assert (len(lines), expected.problems) == (expected.lines, 6)


@pytest.mark.parametrize("secret", [names.FAKE_API_KEY, names.FAKE_TOKEN])
def test_secrets_look_like_secrets_and_say_that_they_are_none(secret: str) -> None:
    assert "EXAMPLE" in secret
    assert sum(secret.encode() in path.read_bytes() for path in names.ROOT.rglob("*") if path.is_file()) == 1


def test_no_path_of_a_real_machine_is_in_it() -> None:
    pattern = re.compile(rb"/(?:home|Users|root|work|opt|mnt)/(?!dev/)[\w.-]*")
    result = {match for path in names.ROOT.rglob("*") if path.is_file() for match in pattern.findall(path.read_bytes())}
    assert result == set()


def test_every_agent_file_belongs_to_a_session() -> None:
    assert len(calls(long())) > 70
    ids = {row["sessionId"] for path in names.PROJECT.rglob("agent-*.jsonl") for row in records(path)}
    assert ids == {names.SURVEY, names.OLD_SIBLING}
