"""What the builder counted while it wrote, against what a plain reader finds in the files."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.demo import names
from tests.demo.reading import Record, blocks, calls, records, usages

LABELS = names.labels()


def is_typed(row: Record) -> bool:
    """Words of a person, by the rules of the format."""
    if row["type"] == "attachment":
        what = row["attachment"]
        return bool(what["type"] == "queued_command" and what["commandMode"] == "prompt")
    if row["type"] != "user" or row["isSidechain"] or row.get("isMeta") or row.get("isCompactSummary"):
        return False
    if row.get("origin", {}).get("kind", "human") != "human":
        return False
    if "0" in row["message"]:
        return True
    content = row["message"]["content"]
    if isinstance(content, list):
        if any(block["type"] == "tool_result" for block in content):
            return False
        content = content[0]["text"]
    return not content.startswith(("<", "[Request interrupted"))


@pytest.mark.parametrize("label", LABELS)
def test_every_record_is_counted(label: str) -> None:
    expected = names.expected(label)
    result = records(expected.path)
    assert (len(result), dict(Counter(row["type"] for row in result))) == (expected.records, expected.types)
    assert expected.path.stat().st_size == expected.bytes


@pytest.mark.parametrize("label", LABELS)
def test_usage_is_counted_once_per_message(label: str) -> None:
    expected = names.expected(label)
    result = usages(records(expected.path))
    own, copied = expected.own, expected.copied
    assert len(result) == own.requests + copied.requests
    keys = {"input_tokens": "input", "output_tokens": "output"}
    keys |= {"cache_creation_input_tokens": "cache_write", "cache_read_input_tokens": "cache_read"}
    for key, name in keys.items():
        assert sum(usage[key] for usage in result.values()) == getattr(own, name) + getattr(copied, name), key


@pytest.mark.parametrize("label", LABELS)
def test_typed_prompts_are_counted_once(label: str) -> None:
    expected = names.expected(label)
    assert len({row["uuid"] for row in records(expected.path) if is_typed(row)}) == expected.prompts


@pytest.mark.parametrize("label", LABELS)
def test_calls_and_errors_are_counted(label: str) -> None:
    expected = names.expected(label)
    result = records(expected.path)
    failures = {row["uuid"] for row in result for block in blocks(row) if block.get("is_error")}
    api = [row for row in result if row.get("subtype") == "api_error" or row.get("isApiErrorMessage")]
    assert len(calls(result)) == expected.tool_calls
    assert len(failures) == expected.tool_errors
    assert len(api) == expected.api_errors


@pytest.mark.parametrize("label", LABELS)
def test_compactions_are_counted(label: str) -> None:
    expected = names.expected(label)
    summaries = {row["uuid"] for row in records(expected.path) if row.get("isCompactSummary")}
    assert len(summaries) == expected.compactions


@pytest.mark.parametrize("label", LABELS)
def test_named_records_stand_where_the_names_say(label: str) -> None:
    expected = names.expected(label)
    result = records(expected.path)
    assert [name for name, point in expected.points.items() if result[point.position].get("uuid") != point.uuid] == []


def test_the_long_session_has_windows_to_page_through() -> None:
    expected = names.expected("long")
    assert 300 <= expected.records <= 500
    assert 77_000 <= expected.peak_context < 80_000


@pytest.mark.parametrize("word", names.SEARCH_WORDS)
def test_planted_words_stand_where_they_should(word: str) -> None:
    label, name, _, hits = names.SEARCH_WORDS[word]
    rows = [
        (other, row["uuid"])
        for other in LABELS
        for row in records(names.expected(other).path)
        if "uuid" in row and word in str(row)
    ]
    if hits or name is None:
        assert len(rows) == hits
    if name is not None:
        assert (label, names.uuid(label, name)) in rows


def test_the_persisted_word_is_in_the_spilled_file_alone() -> None:
    (spilled,) = (names.PROJECT / names.LONG / "tool-results").iterdir()
    text = spilled.read_text("utf-8")
    assert "bathymetry" in text
    assert len(text) > 43_000
