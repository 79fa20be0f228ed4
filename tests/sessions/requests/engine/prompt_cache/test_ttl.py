from __future__ import annotations

import pytest

from sessions.requests.engine.prompt_cache.ttl import Account, Ttl, cache_control, latch_ttl

SUBSCRIBER = Account(subscriber=True)


@pytest.mark.parametrize(
    ("account", "source", "ttl"),
    [
        (Account(), "repl_main_thread", "5m"),
        (Account(employee=True), "repl_main_thread", "1h"),
        (SUBSCRIBER, "repl_main_thread", "1h"),
        (SUBSCRIBER, "repl_main_thread:outputStyle:custom", "1h"),
        (SUBSCRIBER, "agent:explorer", "1h"),
        (SUBSCRIBER, "sdk", "1h"),
        (SUBSCRIBER, "compact", "1h"),
        (SUBSCRIBER, "session_memory", "5m"),
        (SUBSCRIBER, "prompt_suggestion", "5m"),
        (Account(subscriber=True, overage=True), "repl_main_thread", "5m"),
        (Account(bedrock_opt_in=True), "session_memory", "1h"),
    ],
)
def test_an_hour_is_for_those_who_may_and_who_live_long_enough(account: Account, source: str, ttl: str) -> None:
    assert latch_ttl(None, account).ttl(source) == ttl


def test_running_into_overage_does_not_change_the_marks_of_a_session() -> None:
    latch = latch_ttl(None, SUBSCRIBER)
    later = latch_ttl(latch, Account(subscriber=True, overage=True), ("nobody",))
    assert later is latch
    assert later.ttl("sdk") is Ttl.ONE_HOUR


def test_the_mark_of_five_minutes_says_nothing_about_time() -> None:
    assert cache_control(Ttl.FIVE_MINUTES) == {"type": "ephemeral"}
    assert cache_control(Ttl.ONE_HOUR, everybody=True) == {"type": "ephemeral", "ttl": "1h", "scope": "global"}
