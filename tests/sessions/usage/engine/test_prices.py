"""Prices are those of the very model, or unknown."""

from __future__ import annotations

import orjson
import pytest

from sessions.usage.engine.prices import Price, context_window, cost_of, price_of
from sessions.usage.engine.usage import Usage
from tests.samples import SHARED, needs_samples

TOKENS = Usage(100_000, 0, 0, 0, 1_000_000)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("claude-fable-5-1", (10, 0.25, 12.5, 20, 50)),
        ("claude-fable-5", (10, 1, 12.5, 20, 50)),
        ("claude-opus-5-5", (4, 0.2, 5, 8, 20)),
        ("claude-opus-5", (5, 0.5, 6.25, 10, 25)),
        ("claude-opus-4-5-20251101", (5, 0.5, 6.25, 10, 25)),
        ("claude-opus-4-1-20250805", (15, 1.5, 18.75, 30, 75)),
        ("claude-opus-4-20250514", (15, 1.5, 18.75, 30, 75)),
        ("claude-sonnet-5-5", (2, 0.1, 2.5, 4, 10)),
        ("claude-sonnet-5", (2, 0.2, 2.5, 4, 10)),
        ("claude-sonnet-4-6", (3, 0.3, 3.75, 6, 15)),
        ("claude-haiku-5-5", (0.1, 0.01, 0.125, 0.2, 0.5)),
        ("claude-haiku-4-5-20251001", (1, 0.1, 1.25, 2, 5)),
        ("claude-3-5-sonnet-20241022", (3, 0.3, 3.75, 6, 15)),
        ("claude-3-5-haiku-latest", (0.8, 0.08, 1, 1.6, 4)),
        ("claude-3-haiku-20240307", (0.25, 0.025, 0.3125, 0.5, 1.25)),
        ("<synthetic>", (0, 0, 0, 0, 0)),
    ],
)
def test_it_knows_the_list_prices(model: str, price: tuple[float, ...]) -> None:
    known = price_of(model)
    assert known is not None
    result = (known.input, known.cache_read, known.cache_write_5m, known.cache_write_1h, known.output)
    assert result == pytest.approx(price)


@pytest.mark.parametrize(
    "model",
    [
        "claude-opus-4-5",
        "claude-opus-4-5[1m]",
        "claude-opus-4-5-20251101[1m]",
        "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "global.anthropic.claude-opus-4-5-20251101-v1:0",
        "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0",
        "anthropic.claude-opus-4-5-20251101-v1:0",
        "anthropic.claude-opus-4-5-20251101-v1:0:200k",
        "us-gov.anthropic.claude-opus-4-5-20251101-v1:0",
        "arn:aws-us-gov:bedrock:us-gov-west-1:1:inference-profile/us-gov.anthropic.claude-opus-4-5-20251101-v1:0",
        "publishers/anthropic/models/claude-opus-4-5@20251101",
        "claude-opus-4-5@default",
        "anthropic/claude-opus-4.5",
        "openrouter/anthropic/claude-opus-4.5",
        "claude-opus-4-5@20251101",
        "Claude-Opus-4-5",
    ],
)
def test_a_model_is_known_by_all_the_spellings_of_its_id(model: str) -> None:
    assert price_of(model) == price_of("claude-opus-4-5-20251101") == Price(5, 0.5, 6.25, 10, 25)


@pytest.mark.parametrize(
    "model",
    [
        None,
        "",
        "claude-opus-9",
        "claude-opus-4-9",
        "claude-opus-4-5-2",
        "claude-opus-4-5-turbo",
        "claude-opus",
        "claude-sonnet",
        "my-claude-opus-4-5",
        "mycorp/claude-opus-4-5",
        "glm-4.7",
        "qwen3-coder:30b",
        "claude-" + "4-" * 10_000,
    ],
)
def test_a_model_that_merely_resembles_one_is_unknown(model: str | None) -> None:
    assert price_of(model) is None
    assert cost_of(model, TOKENS) is None
    assert context_window(model) == 200_000


def test_a_cost_adds_up_each_kind_of_token() -> None:
    usage = Usage(input=4444, cache_read=307_374, cache_write_5m=41_633, cache_write_1h=0, output=1376)
    assert cost_of("claude-opus-5-5", usage) == pytest.approx(0.3149358)


def test_what_the_client_wrote_itself_costs_nothing() -> None:
    assert cost_of("<synthetic>", TOKENS) == 0


def test_a_long_prompt_costs_more_where_the_model_says_so() -> None:
    short, long = Usage(200_000, 0, 0, 0, 0), Usage(1, 200_000, 0, 0, 1_000_000)
    assert cost_of("claude-sonnet-4-5[1m]", short) == pytest.approx(0.6)
    assert cost_of("claude-sonnet-4-5[1m]", long) == pytest.approx(0.000006 + 0.12 + 22.5)
    assert cost_of("claude-opus-4-6", Usage(0, 400_000, 0, 0, 0)) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-opus-4-6", 1_000_000),
        ("claude-sonnet-4-6", 1_000_000),
        ("claude-fable-5", 1_000_000),
        ("claude-haiku-5-5", 1_000_000),
        ("claude-opus-4-5-20251101", 200_000),
        ("claude-haiku-4-5", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("somebody-elses[1m]", 1_000_000),
    ],
)
def test_the_context_window_follows_model_and_suffix(model: str, window: int) -> None:
    assert context_window(model) == window


@needs_samples
def test_it_agrees_with_the_costs_that_the_client_recorded() -> None:
    compared = 0
    for path in (SHARED / "realclient").rglob("projects/**/*.jsonl"):
        for line in path.read_bytes().split(b"\n"):
            if not line.startswith(b'{"type":"cost-state"'):
                continue
            for model, sums in orjson.loads(line)["modelUsage"].items():
                usage = Usage(
                    input=sums["inputTokens"],
                    cache_read=sums["cacheReadInputTokens"],
                    cache_write_5m=sums["cacheCreationEphemeral5mInputTokens"],
                    cache_write_1h=sums["cacheCreationEphemeral1hInputTokens"],
                    output=sums["outputTokens"],
                )
                assert cost_of(model, usage) == pytest.approx(sums["costUSD"]), (path.name, model)
                compared += 1
    assert compared
