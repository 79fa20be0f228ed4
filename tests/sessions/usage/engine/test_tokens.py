from __future__ import annotations

import pytest

from sessions.transcripts.engine.messages import Block, Message, MessageKind, read_messages, replace_fields, text_block
from sessions.usage.engine.tokens import (
    LONG_CONTEXT_BETA,
    CountCache,
    Limits,
    WindowSource,
    context_size,
    context_tokens,
    context_window,
    estimate,
    estimate_blocks,
    estimate_message,
)
from sessions.usage.engine.usage import Usage


def answer(text: str, message_id: str, usage: Usage | None = None, model: str = "") -> Message:
    return Message(
        "assistant", (text_block(text),), MessageKind.ANSWER, f"uuid-{text}", message_id, usage=usage, model=model
    )


def result(text: str, tool_use_id: str = "toolu_1") -> Message:
    block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": text}
    return Message("user", (block,), MessageKind.RESULT, f"uuid-{tool_use_id}")


def prompt(text: str) -> Message:
    return Message("user", (text_block(text),), MessageKind.PROMPT, f"uuid-{text[:8]}")


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        (text_block("x" * 1200), 400),
        (text_block("x"), 1),
        (text_block(""), 0),
        ({"type": "thinking", "thinking": "x" * 300, "signature": "s" * 5000}, 100),
        ({"type": "image", "source": {"data": "x" * 10**6}}, 2667),
        ({"type": "document", "source": {}}, 2667),
        ({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"a": "bc"}}, 10),
        ({"type": "tool_result", "tool_use_id": "toolu_1", "content": "x" * 30}, 10),
        ({"type": "tool_result", "tool_use_id": "toolu_1", "content": [text_block("x" * 30), {"type": "image"}]}, 2677),
        ({"type": "tool_result", "tool_use_id": "toolu_1"}, 0),
        ({"type": "compaction", "content": None}, 0),
    ],
)
def test_a_block_is_estimated_by_what_it_holds(block: Block, tokens: int) -> None:
    assert estimate_blocks((block,)) == tokens


def test_what_json_allows_and_orjson_does_not_is_counted_too() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "n", "input": {"big": 2**80, "half": "\ud800"}}
    assert estimate_blocks((call,)) > 20


def test_estimates_add_up() -> None:
    messages = read_messages([{"role": "user", "content": "a"}, {"role": "assistant", "content": "bcde"}])
    assert estimate(messages) == sum(estimate_message(message) for message in messages) == 3


def test_a_remembering_counter_counts_a_message_once() -> None:
    requests = []

    def counter(blocks: object, /) -> int:
        requests.append(blocks)
        return 7

    remembered = CountCache(counter)
    message = prompt("hello")
    assert (remembered(message.content), remembered(message.content)) == (7, 7)
    assert len(requests) == 1


def test_without_usage_everything_is_estimated() -> None:
    assert context_size([prompt("x" * 30)]).anchor is None
    assert context_tokens([prompt("x" * 30)]) == 10


def test_usage_counts_all_four_parts_and_what_follows_is_estimated() -> None:
    messages = [prompt("x" * 9000), answer("ok", "m1", Usage(10, 200, 3000, 40_000, 5)), prompt("x" * 30)]
    assert context_tokens(messages) == 10 + 200 + 3000 + 40_000 + 5 + 10


def test_results_between_the_records_of_one_answer_count_as_after_it() -> None:
    usage = Usage(1000, 0, 0, 0, 100)
    messages = [
        prompt("go"),
        answer("first", "m1", usage),
        result("x" * 300, "toolu_1"),
        answer("second", "m1", usage),
        result("x" * 600, "toolu_2"),
    ]
    size = context_size(messages)
    assert (size.anchor, size.counted, size.estimated) == (1, 1100, 300)


def test_counts_that_grew_between_the_records_are_merged() -> None:
    messages = [answer("a", "m1", Usage(1000, 0, 0, 0, 900)), answer("b", "m1", Usage(1000, 0, 0, 0, 100))]
    assert context_tokens(messages) == 1900


def test_what_the_client_wrote_in_the_place_of_an_answer_is_no_anchor() -> None:
    real = answer("ok", "m1", Usage(1000, 0, 0, 0, 100))
    error = answer("x" * 30, "m2", Usage(0, 0, 0, 0, 0), model="<synthetic>")
    assert context_tokens([real, error]) == 1110


def test_usage_from_before_an_edit_is_not_believed() -> None:
    messages = [answer("x" * 30, "m1", Usage(100_000, 0, 0, 0, 0)), prompt("x" * 30)]
    assert context_tokens(messages, since=1) == 20


def test_answers_without_an_id_are_not_taken_for_one() -> None:
    usage = Usage(1000, 0, 0, 0, 0)
    messages = [
        replace_fields(answer("x" * 30, "", usage)),
        prompt("x" * 30),
        answer("x" * 30, "", usage),
        prompt("x" * 30),
    ]
    assert context_tokens(messages) == 1010


@pytest.mark.parametrize(
    ("model", "betas", "setting", "tokens", "source"),
    [
        ("claude-sonnet-4-5[1m]", (), 50_000, 1_000_000, WindowSource.SUFFIX),
        ("claude-sonnet-4-5[1M]", (), 50_000, 1_000_000, WindowSource.SUFFIX),
        ("claude-opus-5", (), 50_000, 1_000_000, WindowSource.MODEL),
        ("claude-opus-4-5", (LONG_CONTEXT_BETA,), 50_000, 200_000, WindowSource.MODEL),
        ("some-model", (LONG_CONTEXT_BETA,), 50_000, 1_000_000, WindowSource.BETA),
        ("some-model", (), 50_000, 50_000, WindowSource.SETTING),
        ("some-model", (), None, 200_000, WindowSource.USUAL),
        (None, (), None, 200_000, WindowSource.USUAL),
    ],
)
def test_the_first_source_that_speaks_gives_the_window(
    model: str | None, betas: tuple[str, ...], setting: int | None, tokens: int, source: WindowSource
) -> None:
    window = context_window(model, betas=betas, setting=setting)
    assert (window.tokens, window.source) == (tokens, source)


def test_auto_compact_starts_at_167_000_of_200_000() -> None:
    assert (Limits().effective, Limits().threshold) == (180_000, 167_000)


def test_a_larger_answer_reserves_more() -> None:
    assert Limits(max_output=32_000).threshold == 155_000


def test_a_percentage_moves_the_threshold_down_only() -> None:
    assert Limits(percent=10).threshold == 18_000
    assert Limits(percent=99).threshold == 167_000


def test_a_tiny_window_has_no_negative_threshold() -> None:
    assert Limits(window=10_000).threshold == 0
