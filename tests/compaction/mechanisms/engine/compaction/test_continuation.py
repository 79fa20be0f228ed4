from __future__ import annotations

from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.compaction.continuation import KEPT, OPENING_AFTER_KEPT, RESUME, continuation_text


def test_it_carries_the_summary_and_the_way_back_to_the_transcript() -> None:
    text = continuation_text("  We fixed it. ", transcript_path="/p/s.jsonl", trigger=Trigger.MANUAL)
    assert "Summary:\nWe fixed it.\n" in text
    assert text.endswith("/p/s.jsonl")


def test_after_an_automatic_compaction_the_model_is_told_to_go_on() -> None:
    assert RESUME in continuation_text("x", trigger=Trigger.AUTO)
    assert RESUME not in continuation_text("x", trigger=Trigger.MANUAL)


def test_it_says_where_the_kept_messages_stand() -> None:
    assert KEPT in continuation_text("x", has_kept=True)
    above = continuation_text("x", has_kept=True, kept_first=True)
    assert above.startswith(OPENING_AFTER_KEPT)
    assert KEPT not in above


def test_an_agent_without_a_person_is_told_so_again_but_only_after_an_automatic_compaction() -> None:
    assert "nobody reads along" in continuation_text("s", autonomous=True)
    assert "nobody reads along" not in continuation_text("s")
    assert "nobody reads along" not in continuation_text("s", trigger=Trigger.MANUAL, autonomous=True)
