from __future__ import annotations

import pytest

from compaction.mechanisms.engine.guards import Breaker, explain_inflation, may_compact, track_recompaction
from compaction.mechanisms.engine.guards.recursion import owns_shared_state
from tests.sessions.transcripts.engine.spoken import Talk


def test_only_what_is_smaller_is_accepted() -> None:
    assert explain_inflation(100, 99) is None
    assert "no less than the ~100" in str(explain_inflation(100, 100))


def test_three_failures_in_a_row_open_the_breaker() -> None:
    breaker = Breaker().after_failure().after_failure()
    assert not breaker.is_open()
    assert breaker.after_failure().is_open()


def test_any_success_closes_it() -> None:
    assert Breaker(3).after_success() == Breaker()


@pytest.mark.parametrize(("source", "may"), [("compact", False), ("session_memory", False), ("repl_main_thread", True)])
def test_what_is_part_of_a_compaction_starts_none(source: str, may: bool) -> None:
    assert may_compact(source) is may


def test_only_the_main_thread_owns_what_the_session_shares() -> None:
    assert owns_shared_state("repl_main_thread:plan")
    assert owns_shared_state("sdk")
    assert not owns_shared_state("agent:explorer")


def test_the_first_compaction_is_no_recompaction() -> None:
    talk = Talk()
    talk.prompt("hello")
    talk.says("hi")
    recompaction = track_recompaction(talk.messages, None, 167_000, "sdk")
    assert (recompaction.is_one, recompaction.turns_since, recompaction.last_id, recompaction.threshold) == (
        False,
        1,
        "",
        167_000,
    )
    assert recompaction.source == "sdk"
