"""What a dream says at its end, however badly it says it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.dreams.engine.prompt import DreamReport, FileReport, dream_prompt, read_report


def test_reasons_sources_and_contradictions_are_read() -> None:
    text = {
        "files": {
            "a.md": {"reason": "Why.", "sources": [{"session": "s", "entry": "e"}, {"session": 5}]},
            "b.md": "So.",
        },
        "contradictions": ["Noon against one.", 7],
    }
    report = read_report(f"Done.\n```json\n{json.dumps(text)}\n```\nGood night.")
    assert report.message == "Done.\nGood night."
    assert report.files == {"a.md": FileReport("Why.", (("s", "e"),)), "b.md": FileReport("So.")}
    assert report.contradictions == ("Noon against one.",)


@pytest.mark.parametrize("text", ["Only words.", "```json\n{broken}\n```", ""])
def test_words_without_a_block_are_a_message_alone(text: str) -> None:
    assert read_report(text) == DreamReport(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(files=json_values, contradictions=json_values)
def test_nothing_that_it_says_breaks_the_reading(files: object, contradictions: object) -> None:
    block = json.dumps({"files": files, "contradictions": contradictions})
    read_report(f"```json\n{block}\n```")


def test_the_prompt_tells_where_and_since_when() -> None:
    request = dream_prompt(
        copy="/copy", transcripts=["/t"], today="2026-11-16", since="", sessions=["a.jsonl (5 bytes)"]
    )
    assert "/copy. Today is 2026-11-16." in request
    assert "never consolidated" in request
    assert "- a.jsonl (5 bytes)" in request
