"""What holds for every conversation, whatever happened to it.

Some examples by default; `make slow` plays thousands.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.lint.engine import Severity, lint_request, repair, repair_messages
from sessions.lint.engine.repairs.blocks import NO_OUTPUT
from sessions.lint.engine.repairs.calls import NO_RESULT
from sessions.lint.engine.repairs.ends import OPENING
from sessions.transcripts.engine.messages import Message, join_messages
from tests.examples import examples
from tests.sessions.lint.engine.mutations import mutate_array, mutate_messages
from tests.sessions.transcripts.engine.messages.conversations import conversations, requests

pytestmark = pytest.mark.slow

some = settings(
    max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
OLD, MIDDLE, NEW, BOUND = "claude-haiku-4-5", "claude-opus-4-6", "claude-opus-5", "claude-fable-5-1"
SEEDS, ACCIDENTS = st.integers(0, 2**32), st.integers(1, 8)


def _body(array: list[Any], **more: Any) -> dict[str, Any]:
    return {"max_tokens": 32_000, "messages": array, **more}


def _serious(body: Any, model: str) -> list[Any]:
    return [finding for finding in lint_request(body, model) if finding.severity is not Severity.NOTE]


def _refusals(array: list[Any], model: str) -> list[Any]:
    return [finding for finding in lint_request(_body(array), model) if finding.severity is Severity.REFUSED]


@some
@given(conversations())
def test_a_conversation_is_clean_to_a_model_that_would_continue_it(messages: list[Message]) -> None:
    assert _serious(_body(join_messages(messages)), OLD) == []


@pytest.mark.parametrize("model", [MIDDLE, NEW, BOUND])
def test_a_request_is_clean_to_newer_models(model: str) -> None:
    @some
    @given(requests())
    def holds(messages: list[Message]) -> None:
        assert _serious(_body(join_messages(messages), thinking={"type": "adaptive"}), model) == []

    holds()


@some
@given(requests(thinking="always"))
def test_a_request_that_always_thought_is_clean_with_a_budget(messages: list[Message]) -> None:
    config = {"type": "enabled", "budget_tokens": 8_000}
    assert _serious(_body(join_messages(messages), thinking=config), MIDDLE) == []


@some
@given(conversations())
def test_a_valid_array_is_returned_as_it_is(messages: list[Message]) -> None:
    array = join_messages(messages)
    repaired, repairs = repair(array)
    assert repaired is array
    assert repairs == []
    records, repairs = repair_messages(messages)
    assert repairs == []
    assert len(records) == len(messages)
    assert all(record is other for record, other in zip(records, messages, strict=True))


@some
@given(conversations(), SEEDS, ACCIDENTS, st.sampled_from([OLD, NEW]))
def test_a_repaired_array_is_not_refused(messages: list[Message], seed: int, accidents: int, model: str) -> None:
    array = mutate_array(join_messages(messages), seed, accidents)
    given_array = deepcopy(array)
    repaired, repairs = repair(array, model=model, sending=True)
    assert _refusals(repaired, model) == []
    assert bool(repairs) == (repaired is not array)
    assert array == given_array
    second, repairs = repair(repaired, model=model, sending=True)
    assert second is repaired
    assert repairs == []


@some
@given(requests(), SEEDS, ACCIDENTS, st.sampled_from([MIDDLE, NEW, BOUND]))
def test_a_repair_that_knows_what_was_there_leaves_no_thinking_dead_or_altered(
    messages: list[Message], seed: int, accidents: int, model: str
) -> None:
    before = join_messages(messages)
    repaired, _ = repair(mutate_array(before, seed, accidents), model=model, before=before, sending=True)
    result = lint_request(_body(repaired), model, before=before)
    assert [finding for finding in result if finding.severity is Severity.REFUSED] == []


@some
@given(conversations(), SEEDS, ACCIDENTS)
def test_repaired_records_are_joined_to_an_array_that_is_not_refused(
    messages: list[Message], seed: int, accidents: int
) -> None:
    records, _ = repair_messages(mutate_messages(messages, seed, accidents))
    assert _refusals(join_messages(records), OLD) == []
    second, repairs = repair_messages(records)
    assert repairs == []
    assert all(item is other for item, other in zip(second, records, strict=True))


@some
@given(conversations(), SEEDS, ACCIDENTS)
def test_a_repair_invents_no_words(messages: list[Message], seed: int, accidents: int) -> None:
    array = mutate_array(join_messages(messages), seed, accidents)
    repaired, _ = repair(array)
    assert _texts(repaired) <= _texts(array) | {OPENING, NO_RESULT, NO_OUTPUT}


@some
@given(conversations(), SEEDS, ACCIDENTS)
def test_a_repair_keeps_what_people_and_models_said(messages: list[Message], seed: int, accidents: int) -> None:
    array = mutate_array(join_messages(messages), seed, accidents)
    repaired, _ = repair(array)
    assert {words for words in _block_texts(array) if words.strip()} == {
        words for words in _block_texts(repaired) if words.strip()
    } - {OPENING}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = [
    *("type", "text", "id", "name", "input", "tool_use_id", "content", "is_error", "thinking", "signature", "data"),
    *("source", "media_type", "cache_control", "ttl", "role", "messages", "tools", "system", "input_schema"),
    *("budget_tokens", "max_tokens", "tool_choice", "betas", "output_config", "block_binding", "model"),
]
WORDS = [
    *("text", "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "compaction"),
    *("server_tool_use", "web_search_tool_result", "base64", "ephemeral", "1h", "enabled", "adaptive", "disabled"),
    *("user", "assistant", "system", "a", "b", "", " ", "claude-fable-5-1", "image/png", "object", "tool", "any"),
]
LIKELY = st.recursive(
    st.sampled_from([*WORDS, None, True, 3, -1, 5000]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, min_size=1, max_size=6),
    max_leaves=30,
)
BLOCKS = st.dictionaries(st.sampled_from(KEYS), LIKELY, max_size=5) | st.fixed_dictionaries(
    {"type": st.sampled_from(WORDS[:10])},
    optional=dict.fromkeys(("id", "tool_use_id", "content", "text", "source", "cache_control", "signature"), LIKELY),
)
MESSAGES = st.fixed_dictionaries({"role": st.sampled_from(WORDS[16:19]), "content": st.lists(BLOCKS | LIKELY) | LIKELY})
BODIES = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES | LIKELY, max_size=6) | LIKELY},
    optional=dict.fromkeys(("system", "tools", "thinking", "tool_choice", "cache_control", "max_tokens"), LIKELY),
)


@some
@given(VALUES | LIKELY | BODIES, VALUES | BODIES | st.none(), st.sampled_from([OLD, NEW, BOUND, "?", None]))
def test_any_value_can_be_linted(body: Any, before: Any, model: str | None) -> None:
    for finding in lint_request(body, model, before=before):
        assert finding.message.endswith(".")
        assert finding.repair.endswith(".")


@some
@given(st.lists(MESSAGES | LIKELY, max_size=6))
def test_any_array_can_be_repaired(array: list[Any]) -> None:
    repaired, _ = repair(array, model=NEW, sending=True)
    broken = {"media", "mark-place", "mark-order", "too-many-marks"}
    assert {finding.rule for finding in _refusals(repaired, NEW)} <= broken
    assert repair(repaired, model=NEW, sending=True) == (repaired, [])


def _texts(array: list[Any]) -> set[str]:
    texts: set[str] = set()
    for message in array:
        for block in message["content"]:
            content = block.get("content", block.get("text"))
            parts = content if isinstance(content, list) else [{"text": content}]
            texts |= {part["text"] for part in parts if isinstance(part.get("text"), str)}
    return texts


def _block_texts(array: list[Any]) -> set[str]:
    return {block["text"] for message in array for block in message["content"] if block["type"] == "text"}
