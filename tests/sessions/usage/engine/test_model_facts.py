"""What models demand is known of the very model, or unknown."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sessions.usage.engine import model_facts
from sessions.usage.engine.model_facts import facts_of


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("claude-opus-5", 512),
        ("claude-fable-5", 512),
        ("claude-opus-4-8", 1024),
        ("claude-sonnet-5", 1024),
        ("claude-sonnet-4-6", 1024),
        ("claude-sonnet-4-5-20250929", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-opus-4-6[1m]", 4096),
        ("claude-opus-4-5-20251101", 4096),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096),
        ("claude-fable-5-1", None),
    ],
)
def test_it_knows_the_least_prefix_that_is_cached(model: str, least: int | None) -> None:
    facts = facts_of(model)
    assert facts is not None
    assert facts.min_cache == least


def test_four_models_bind_thinking_to_what_precedes_it() -> None:
    names = tomllib.loads(Path(model_facts.__file__).with_name("models.toml").read_text("utf-8"))["models"]
    bound = {name for name, row in names.items() if row.get("prefix_bound")}
    assert bound == {"claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"}


@pytest.mark.parametrize(
    ("model", "prefill", "keeps"),
    [
        ("claude-opus-4-5", True, True),
        ("claude-sonnet-4-5", True, False),
        ("claude-haiku-4-5", True, False),
        ("claude-opus-4-1", True, False),
        ("claude-opus-4-6", False, True),
        ("claude-sonnet-4-6", False, True),
        ("claude-fable-5", False, True),
    ],
)
def test_from_4_6_on_prefill_is_refused_and_thinking_kept(model: str, prefill: bool, keeps: bool) -> None:
    facts = facts_of(model)
    assert facts is not None
    assert (facts.prefill, facts.keeps_thinking) == (prefill, keeps)


@pytest.mark.parametrize("model", [None, "", "claude-opus-9", "my-claude-opus-5", "glm-4.7", "<synthetic>"])
def test_a_model_that_merely_resembles_one_is_unknown(model: str | None) -> None:
    assert facts_of(model) is None


def test_another_spelling_is_the_same_model() -> None:
    assert facts_of("claude-opus-4-0") == facts_of("claude-4-opus-20250514") == facts_of("claude-opus-4")
