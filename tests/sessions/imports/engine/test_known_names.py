"""What is known of records is passed over in silence; what is not is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.imports.engine.broken_lines import recover
from sessions.imports.engine.known_names import find_unknowns
from tests.samples import SHARED, needs_samples

FIXTURE_WITH_ODDITIES = "edge_cases.jsonl"

ENVELOPE = {"uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "t", "isSidechain": False, "version": "2"}
ASSISTANT = {
    **ENVELOPE,
    "type": "assistant",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {"anything": 1}}],
        "usage": {"input_tokens": 1, "output_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 1}},
    },
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
words = st.sampled_from(["type", "subtype", "message", "content", "usage", "attachment", "data", "cache_creation", "0"])
kinds = st.sampled_from(
    ["user", "assistant", "system", "attachment", "progress", "text", "tool_result", "hook_success"]
)
crooked = st.recursive(
    anything | kinds,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner | kinds, max_size=5),
    max_leaves=15,
)


def user(content: object, **extra: object) -> dict[str, Any]:
    return {**ENVELOPE, "type": "user", "message": {"role": "user", "content": content}, **extra}


@settings(deadline=None)
@given(st.dictionaries(words, crooked, max_size=6))
def test_it_takes_any_shapes(record: dict[str, Any]) -> None:
    for what, name in find_unknowns(record):
        assert what in {"type", "subtype", "attachment", "progress", "block", "key"}
        assert 0 <= len(name) <= 100


def test_a_known_record_has_nothing_unknown() -> None:
    assert find_unknowns(ASSISTANT) == ()


@pytest.mark.parametrize(
    ("record", "unknown"),
    [
        ({"type": "brand-new", "other": 1}, ("type", "brand-new")),
        ({"silly": True}, ("type", "(nothing)")),
        ({"type": ["user"]}, ("type", "(list)")),
        (user("hi", fooBar=1), ("key", "user.fooBar")),
        ({**user("hi"), "message": "hi"}, ("key", "user.message(string)")),
        (user(None), ("key", "message.content(nothing)")),
        (user([{"type": "hologram"}]), ("block", "hologram")),
        (user([{"type": {}}]), ("block", "(object)")),
        (user(["hi"]), ("block", "(string)")),
        (user([{"type": "text", "text": "hi", "mood": 1}]), ("key", "block.text.mood")),
        (user([{"type": "tool_result", "content": [{"type": "smell"}]}]), ("block", "tool_result.smell")),
        (user([{"type": "tool_result", "content": [7]}]), ("block", "tool_result.(nothing)")),
        ({**ENVELOPE, "type": "system", "subtype": "hiccup"}, ("subtype", "hiccup")),
        ({**ENVELOPE, "type": "system", "subtype": 7}, ("subtype", "(number)")),
        (
            {**ENVELOPE, "type": "system", "subtype": "compact_boundary", "compactMetadata": {"mood": 1}},
            ("key", "compactMetadata.mood"),
        ),
        ({**ENVELOPE, "type": "attachment", "attachment": {"type": "rumour"}}, ("attachment", "rumour")),
        ({**ENVELOPE, "type": "attachment", "attachment": []}, ("attachment", "(list)")),
        (
            {**ENVELOPE, "type": "attachment", "attachment": {"type": "hook_success", "x": 1}},
            ("key", "attachment.hook_success.x"),
        ),
        ({**ENVELOPE, "type": "progress", "data": {"type": "nap"}}, ("progress", "nap")),
        ({**ENVELOPE, "type": "progress"}, ("progress", "(nothing)")),
        ({"type": "mode", "mode": "x", "weight": 1}, ("key", "mode.weight")),
    ],
)
def test_it_names_what_it_does_not_know(record: dict[str, Any], unknown: tuple[str, str]) -> None:
    assert find_unknowns(record) == (unknown,)


def test_new_keys_of_messages_and_usage_are_named() -> None:
    usage = {"input_tokens": 1, "gold": 1, "cache_creation": {"ephemeral_24h_input_tokens": 5}}
    record = {**ASSISTANT, "message": {"content": "hi", "usage": usage, "mood": "good"}}
    assert find_unknowns(record) == (
        ("key", "message.mood"),
        ("key", "usage.gold"),
        ("key", "usage.cache_creation.ephemeral_24h_input_tokens"),
    )


def test_a_system_record_of_old_versions_needs_no_subtype() -> None:
    assert find_unknowns({**ENVELOPE, "type": "system", "content": "hi", "level": "info"}) == ()


def test_types_known_by_name_only_may_have_any_key() -> None:
    assert find_unknowns({"type": "marble-origami-commit", "collapseId": 1}) == ()


def test_names_are_cut_and_counted_once() -> None:
    message = {"content": [{"type": "x" * 500}] * 3}
    assert find_unknowns({**ENVELOPE, "type": "user", "message": message}) == (("block", "x" * 100),)


def test_one_record_cannot_flood_the_page() -> None:
    assert len(find_unknowns({"type": "user", **{f"key{number}": 1 for number in range(10_000)}})) == 50


def test_numbered_keys_are_one_unknown() -> None:
    record = {**ENVELOPE, "type": "user", "message": {"content": "", **{str(number): "x" for number in range(90)}}}
    assert find_unknowns(record) == (("key", "message.(number)"),)


def shared_records() -> Iterator[dict[str, Any]]:
    for folder in ("corpus", "realclient"):
        for path in sorted((SHARED / folder).rglob("*.jsonl")):
            if path.name in {FIXTURE_WITH_ODDITIES, "requests.jsonl"}:
                continue
            for line in path.read_bytes().split(b"\n"):
                yield from (record.record for record in recover(line).records)


@needs_samples
def test_nothing_in_the_sample_transcripts_is_unknown() -> None:
    assert {unknown for record in shared_records() for unknown in find_unknowns(record)} == set()
