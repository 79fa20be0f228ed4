"""What may be held against what: requests in the same form, and states that a session returns to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compaction.cache.engine.causes.evidence import Evidence
from compaction.cache.engine.causes.explanation import explain
from compaction.cache.engine.requests.calls import Drop
from tests.compaction.cache.engine.request_bodies import (
    SYSTEM,
    TOOLS,
    Json,
    SentRequest,
    also,
    broken,
    call,
    later,
    names,
    tool,
)


def _with_reminders(prompt: SentRequest) -> SentRequest:
    """As the client sends it: words that the transcript does not have around those that it has."""
    first, *rest = prompt.messages
    reminder = {"type": "text", "text": "<system-reminder>Mind the rocks.</system-reminder>"}
    return replace(prompt, messages=[{**first, "content": [reminder, *first["content"]]}, *rest])


@pytest.mark.parametrize("logged", [(False, True), (True, False)])
def test_a_request_as_it_was_sent_is_not_held_against_one_made_from_the_transcript(logged: tuple[bool, bool]) -> None:
    plain = SentRequest(logged=False, system=None, tools=None)
    both = plain, later(plain)
    contexts = []
    for item, known in zip(both, logged, strict=True):
        made = item.context()
        sent = replace(_with_reminders(item), logged=True, system=SYSTEM, tools=TOOLS).context()
        contexts.append(replace(sent, parts=made.parts) if known else made)
    drop = Drop(call(9_000, 1_000, at=0, position=100), call(2_700, 10_500 - 2_700, at=1, position=110))
    result = explain(drop, Evidence(contexts[0], contexts[1]), [])
    assert names(result) == ["unknown"]
    assert also(result) == []
    assert result.exactness == "reconstructed"


def test_snapshots_of_the_system_prompt_do_not_prove_that_it_is_the_same() -> None:
    request = SentRequest(logged=False)
    cache_break = broken(request, later(request), read=0)
    assert names(cache_break) == ["unknown"]
    assert any("System prompt and tools" in reason for reason in cache_break.missing)


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"tools": (*TOOLS, tool("mcp__tides__lookup"))}, "tools_changed"),
        ({"system": (*SYSTEM, "Be brief.")}, "system_prompt_changed"),
        ({"params": {"thinking": {"type": "disabled"}}}, "thinking_changed"),
    ],
)
def test_what_is_again_as_it_was_before_the_previous_request_is_the_cause(changed: Json, cause: str) -> None:
    """What was cached under it then is still there, so that more was read than the change lets one expect."""
    first = SentRequest()
    between = later(first, **changed)
    second = later(between, **{name: getattr(first, name) for name in changed})
    assert names(broken(between, second, read=8_000, was=12_000)) != [cause]
    assert names(broken(between, second, read=8_000, was=12_000, returned_to=first)) == [cause]


def test_a_change_that_the_request_which_was_read_had_not_either_is_no_cause() -> None:
    first = SentRequest()
    between = later(first)
    second = later(between, params={"thinking": {"type": "disabled"}})
    cache_break = broken(between, second, read=8_000, was=12_000, returned_to=first)
    assert (names(cache_break), also(cache_break)) == (["likely_server_side"], ["thinking_changed"])
