from __future__ import annotations

from typing import Any

import pytest

from sessions.agents.engine import compare_prompts
from sessions.agents.engine.shared_prefix import Comparison, SharedPrefix
from sessions.context.engine import Context, Element, Exactness, Piece, RequestSetup
from sessions.context.engine.rendering.overlays import Overlays
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.weights.engine import Basis, PartReader, WeightTable, weigh_context

SYSTEM = ({"type": "text", "text": "You are a pilot.", "cache_control": {"type": "ephemeral"}},)
UNMARKED = ({"type": "text", "text": "You are a pilot."},)
TOOLS = ({"name": "Read", "input_schema": {}},)


def element(words: str, role: Any = "user") -> Element:
    block = text_block(words)
    return Element(role, (Piece(block, Message(role, (block,), MessageKind.PROMPT)),))


def context(*words: str, given: RequestSetup | None = None, model: str = "m1") -> Context:
    recorded = tuple(element(word, "assistant" if number % 2 else "user") for number, word in enumerate(words))
    parts: tuple[Any, ...] = ()
    return Context("msg", 9, model, parts, None, recorded, given or RequestSetup(), Overlays())


def compare(parent: Context, child: Context, *, read: int | None = None, prompt: int | None = None) -> SharedPrefix:
    parts = PartReader().parts(child.elements)
    weights = weigh_context(parts, WeightTable(), model=child.model, position=child.position, counted=prompt)
    return compare_prompts(parent, child, weights, read=read)


def test_a_fork_repeats_all_of_its_parent_and_adds_its_own() -> None:
    result = compare(
        context("Hello", "Hi", "Look", given=RequestSetup(SYSTEM, TOOLS)),
        context("Hello", "Hi", "Look", "I start agents", "You count", given=RequestSetup(UNMARKED, TOOLS)),
        read=9_000,
        prompt=9_500,
    )

    assert (result.messages, result.parent_messages) == (3, 3)
    assert 12 < result.weight.tokens < 20  # of “Hello”, “Hi” and “Look”: four for each block, and their letters
    assert result.weight.basis is Basis.ESTIMATED
    assert (result.system, result.tools, result.model) == (Comparison.SAME, Comparison.SAME, Comparison.SAME)
    assert (result.exactness, result.read, result.prompt) == (Exactness.RECORDED, 9_000, 9_500)
    assert result.sentence == "The first 3 messages of 3 are the parent's, byte for byte."


def test_an_agent_with_a_prompt_of_its_own_shares_no_message() -> None:
    result = compare(context("Hello", "Hi"), context("Count the tides"))

    assert (result.messages, result.weight.tokens) == (0, 0)
    assert result.sentence.startswith("No message is the same from the start")


def test_what_differs_once_ends_what_is_shared() -> None:
    result = compare(context("Hello", "Hi", "Look", "Yes"), context("Hello", "Hi", "look", "Yes"))

    assert result.messages == 2


def test_what_is_not_recorded_is_unknown_and_not_taken_for_the_same() -> None:
    result = compare(context("Hello", given=RequestSetup(SYSTEM)), context("Hello"))

    assert (result.system, result.tools) == (Comparison.UNKNOWN, Comparison.UNKNOWN)
    assert not result.has_broken_start
    assert result.sentence == "The first of 1 message is the parent's, byte for byte."


@pytest.mark.parametrize(
    ("given", "model", "words"),
    [
        (RequestSetup(({"type": "text", "text": "You are a mate."},), TOOLS), "m1", "but system prompt differs"),
        (RequestSetup(SYSTEM, ({"name": "Grep"},)), "m1", "but tools differ"),
        (RequestSetup(SYSTEM, TOOLS), "m2", "but model differs"),
        (RequestSetup(SYSTEM, ()), "m2", "but model and tools differ"),
    ],
)
def test_messages_behind_something_that_differs_cannot_come_from_the_cache(
    given: RequestSetup, model: str, words: str
) -> None:
    result = compare(
        context("Hello", "Hi", given=RequestSetup(SYSTEM, TOOLS)), context("Hello", "Hi", given=given, model=model)
    )

    assert result.has_broken_start
    assert words in result.sentence
