"""What fills a context, with and without measurements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sessions.context.engine import Context
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.tally import Category
from sessions.weights.engine import Basis, ContextWeights, Count, Ledger, PartReader, WeightTable, weigh_context
from sessions.weights.engine.setup_weights import rest_label
from sessions.weights.engine.sizes import CategorySize, Sizes, sizes_of
from tests.sessions.context.engine.context_helpers import last, thought
from tests.sessions.writing import Writing

MODEL = "claude-opus-4-6"


def talk() -> Context:
    writing = Writing()
    writing.user("ask")
    writing.assistant(thought(""), "say")
    writing.user("more")
    writing.assistant("say more")
    return last(writing)


def weigh(context: Context, table: WeightTable | None = None, counted: int | None = None) -> ContextWeights:
    parts = PartReader().parts(context.elements)
    return weigh_context(parts, table or WeightTable(), model=MODEL, position=context.position, counted=counted)


def by_category(sizes: Sizes) -> dict[Category, CategorySize]:
    return {share.category: share for share in sizes.shares}


def test_without_any_count_what_no_record_holds_is_unknown_and_not_zero() -> None:
    context = talk()
    sizes = sizes_of(context, weigh(context))
    shares = by_category(sizes)
    for category in (Category.SYSTEM, Category.TOOLS):
        assert shares[category].tokens is None
        assert shares[category].missing_reason
    assert Category.HEAD not in shares
    assert shares[Category.IMAGES].tokens == 0
    assert shares[Category.USER_TEXT].tokens
    assert (sizes.unrecorded, sizes.mark) == (0, "~")
    assert (sizes.size.whole, sizes.size.of) == (None, "messages only")


def test_a_count_tells_how_much_stands_before_the_messages() -> None:
    context = talk()
    sizes = sizes_of(context, weigh(context, counted=20_000))
    head = by_category(sizes)[Category.HEAD]
    assert head.tokens is not None
    assert 19_000 < head.tokens < 20_000
    assert (head.basis, head.mark) == (Basis.APPORTIONED, "~")
    assert (sizes.total, sizes.counted, sizes.mark, sizes.size.of) == (20_000, 20_000, "", "whole prompt")


def test_what_no_record_holds_is_called_by_what_it_is() -> None:
    words = ({"type": "text", "text": "You watch tides."},)
    assert rest_label(RequestSetup()) == "system prompt and tools"
    assert rest_label(RequestSetup(system=words)) == "tool definitions"
    assert rest_label(RequestSetup(tools=({"name": "Bash"},))) == "system prompt"
    context = replace(talk(), setup=RequestSetup(system=words))
    labels = {share.label for share in sizes_of(context, weigh(context, counted=20_000)).shares if share.tokens}
    assert {"tool definitions", "system prompt"} <= labels


def test_the_categories_and_what_is_not_recorded_add_up_to_the_whole_prompt() -> None:
    context = talk()
    for counted in (None, 7, 20_000, 1_234_567):
        sizes = sizes_of(context, weigh(context, counted=counted))
        assert sum(share.tokens or 0 for share in sizes.shares) + sizes.unrecorded == sizes.total


def test_a_measured_conversation_weighs_the_same_after_it_was_stored() -> None:
    context = talk()
    ledger = Ledger()
    count = Count(context.position, context.request, MODEL, 20_000, 0, 10)
    ledger.feed(count, [part for row in PartReader().parts(context.elements) for part in row])
    sizing = ledger.finish()
    assert sizing is not None
    table = WeightTable.of(ledger.changes, [sizing])
    stored = WeightTable.unpack(table.pack())
    assert len(stored.changes) == len(table.changes)
    fresh, second = (weigh(context, table=made, counted=20_000) for made in (table, stored))
    assert fresh.size.messages.tokens == pytest.approx(second.size.messages.tokens, rel=1e-3)
    sizes = [sizes_of(context, weights) for weights in (fresh, second)]
    assert sizes[0].shares == sizes[1].shares
    assert sizes[0].size.whole == sizes[1].size.whole
