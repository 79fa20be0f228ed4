"""The tutorial leads through the demo: its numbers are those of the demo."""

from __future__ import annotations

from pathlib import Path

from sessions.text.engine.words import money, tokens
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage
from tests.demo import names

WORDS = " ".join((Path(__file__).resolve().parents[2] / "docs" / "tutorial.md").read_text("utf-8").split())


def test_it_tells_what_all_sessions_used_and_cost() -> None:
    models = [item for label in names.labels() for item in names.expected(label).models.items()]
    used = sum(total.input + total.output + total.cache_write + total.cache_read for _, total in models)
    usages = [
        (model, Usage(total.input, total.cache_read, total.cache_write, 0, total.output)) for model, total in models
    ]
    costs = [cost for model, usage in usages if (cost := cost_of(model, usage)) is not None]
    assert f"used {used / 1_000_000:.1f} million tokens" in WORDS
    assert f'"at least" {money(sum(costs))}' in WORDS


def test_it_tells_how_the_context_grows_and_when_it_is_compacted() -> None:
    assert f"grows to {tokens(names.expected('long').peak_context)} tokens" in WORDS
    assert f"automatically, at {tokens(names.boundary('long', 'auto boundary')['preTokens'])} tokens" in WORDS
    assert f"request {names.expected('long').own.requests} of {names.expected('long').own.requests}" in WORDS


def test_it_tells_what_the_worst_break_sent_again() -> None:
    lost = names.spent("long", names.BROKE).lost(names.spent("long", names.BEFORE_IT_BROKE))
    assert f"so {tokens(lost)} tokens were sent again" in WORDS
