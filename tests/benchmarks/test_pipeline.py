from __future__ import annotations

from benchmarks.ours.pipeline import TOKENS, conversation, pipeline_rows
from sessions.usage.engine.tokens import estimate


def test_the_measured_conversation_is_about_full() -> None:
    assert TOKENS <= estimate(conversation(TOKENS)) < TOKENS * 1.02


def test_each_way_through_the_pipeline_gets_a_row() -> None:
    rows = pipeline_rows(1)
    assert [row.part for row in rows] == ["pipeline"] * 6
    assert all(row.value > 0 for row in rows)
