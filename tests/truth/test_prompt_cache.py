"""The model of the prompt cache that answers in place of the API."""

from __future__ import annotations

from typing import Any

from tests.truth.prompt_cache import LOOKBACK, PromptCache

MARK = {"cache_control": {"type": "ephemeral"}}
LONG_MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def body(*words: str, mark: dict[str, Any] = MARK, tools: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A request of so many messages, the last of which is marked."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": word * 100} for word in words]
    blocks[-1] |= mark
    messages = [{"role": "user", "content": [block]} for block in blocks]
    return {"model": "claude-opus-5-5", "system": "You keep the tides.", "tools": tools or [], "messages": messages}


def read(usage: dict[str, Any]) -> int:
    return int(usage["cache_read_input_tokens"])


def test_what_the_last_request_wrote_the_next_one_reads() -> None:
    cache = PromptCache()
    first = cache.usage(body("one"), now=0)
    second = cache.usage(body("one", "two"), now=60)
    assert read(first) == 0
    assert read(second) == first["cache_creation_input_tokens"] > 0


def test_a_changed_beginning_is_written_anew() -> None:
    cache = PromptCache()
    cache.usage(body("one", "two"), now=0)
    assert read(cache.usage(body("other", "two"), now=1)) == 0


def test_five_minutes_without_use_end_a_prefix_and_an_hour_those_that_were_marked_for_it() -> None:
    for mark, lifetime in ((MARK, 300), (LONG_MARK, 3600)):
        cache = PromptCache()
        cache.usage(body("one", mark=mark), now=0)
        assert read(cache.usage(body("one", mark=mark), now=lifetime - 1)) > 0
        assert read(cache.usage(body("one", mark=mark), now=2 * lifetime)) == 0


def test_time_that_passes_for_the_cache_counts() -> None:
    cache = PromptCache()
    cache.usage(body("one"), now=0)
    cache.age(301)
    assert read(cache.usage(body("one"), now=0)) == 0


def test_a_prefix_too_many_blocks_back_is_not_found() -> None:
    words = [f"block {number}" for number in range(LOOKBACK + 1)]
    near, far = PromptCache(), PromptCache()
    near.usage(body(words[0]), now=0)
    far.usage(body(words[0]), now=0)
    assert read(near.usage(body(*words[:LOOKBACK]), now=1)) > 0
    assert read(far.usage(body(*words), now=1)) == 0


def test_tools_that_are_loaded_on_demand_are_no_part_of_the_prefix() -> None:
    cache = PromptCache()
    cache.usage(body("one", tools=[{"name": "Later", "defer_loading": True}]), now=0)
    assert read(cache.usage(body("one"), now=1)) > 0
    assert read(cache.usage(body("one", tools=[{"name": "Now"}]), now=2)) == 0
