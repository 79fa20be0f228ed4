from __future__ import annotations

import pytest

from sessions.requests.engine.prompt_cache.ttl import Ttl, allowlist_entry, cache_control


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        ("repl_main_thread", "repl_main_thread*"),
        ("repl_main_thread:outputStyle:custom", "repl_main_thread*"),
        ("agent:explorer", "agent:*"),
        ("sdk", "sdk"),
        ("compact", "repl_main_thread*"),
        ("session_memory", ""),
        ("prompt_suggestion", ""),
    ],
)
def test_an_hour_is_for_those_who_live_long_enough(source: str, entry: str) -> None:
    assert allowlist_entry(source) == entry


def test_the_mark_of_five_minutes_says_nothing_about_time() -> None:
    assert cache_control(Ttl.FIVE_MINUTES) == {"type": "ephemeral"}
    assert cache_control(Ttl.ONE_HOUR) == {"type": "ephemeral", "ttl": "1h"}
