from __future__ import annotations

from typing import Any

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.causes.evidence import Answer, measure_single_pass
from compaction.cache.engine.requests.calls import Drop
from compaction.cache.engine.requests.lifetime import Lifetime, lifetime_of
from compaction.cache.engine.requests.prompt import SentMark
from tests.compaction.cache.engine.request_bodies import call


def _record(**usage: Any) -> dict[str, Any]:
    return {"version": "2.1.325", "effort": "medium", "message": {"usage": usage}}


def _pass(read: int, kind: str = "message") -> dict[str, Any]:
    return {"type": kind, "input_tokens": 1, "cache_read_input_tokens": read, "cache_creation_input_tokens": 100}


def test_the_records_of_an_answer_are_put_together() -> None:
    answer = Answer().with_record(_record(speed="fast", cache_deleted_input_tokens=700), 1)
    edits = [{"type": "clear_tool_uses_20250919", "cleared_input_tokens": 500}]
    late = {"message": {"context_management": {"applied_edits": edits}, "diagnostics": {"cache_miss_reason": None}}}
    answer = answer.with_record(late, 2)
    reason = {"type": "system_changed", "cache_missed_input_tokens": 7}
    answer = answer.with_record({"message": {"diagnostics": {"cache_miss_reason": reason}}}, 3)
    assert (answer.effort, answer.speed, answer.version, answer.cleared_tokens) == ("medium", "fast", "2.1.325", 500)
    assert answer.deleted_tokens == 700
    assert answer.diagnosis is not None
    assert (answer.diagnosis.reason, answer.diagnosis.missed_tokens, answer.diagnosis.position) == (
        "system_changed",
        7,
        3,
    )


def test_damaged_records_tell_nothing() -> None:
    bad: dict[str, Any] = {
        "message": {"usage": 3, "context_management": {"applied_edits": [None, 7]}, "diagnostics": []}
    }
    assert Answer().with_record(bad, 1) == Answer()


def test_an_answer_of_several_passes_is_compared_by_the_last_of_them() -> None:
    """An adviser was asked in between: the usage of the answer counts the prompt twice."""
    before = Answer().with_record(_record(iterations=[_pass(109_000), _pass(0, "advisor_message"), _pass(110_000)]), 1)
    drop = measure_single_pass(Drop(call(219_000, 200, at=1), call(110_100, 300, at=2)), before, Answer())
    assert drop.previous.read == 110_000
    assert drop.call.read == 110_100


def test_one_pass_changes_nothing() -> None:
    drop = Drop(call(50_000, at=1), call(0, 50_000, at=2))
    item = Answer().with_record(_record(iterations=[_pass(50_000)]), 1)
    assert measure_single_pass(drop, item, item) == drop


def test_marks_tell_the_lifetime_and_of_both_the_longer_one_runs_out_last() -> None:
    both = lifetime_of({"system[0]": SentMark("system[0]", {"ttl": "1h"}), "messages": SentMark("messages", {})}, [])
    assert both == Lifetime(five_minutes=True, one_hour=True)
    assert both.expired_ttl(10 * 60_000) is CauseName.TTL_5M
    assert both.expired_ttl(61 * 60_000) is CauseName.TTL_1H
    assert both.expired_ttl(60_000) is None
    assert both.expired_ttl(None) is None


def test_the_last_request_that_wrote_tells_the_lifetime() -> None:
    calls = [call(0, 10, hour=True), call(10, 0)]
    assert lifetime_of(None, calls) == Lifetime(five_minutes=False, one_hour=True)
