"""Whatever a mechanism does to a conversation: every message is in one row, and the tokens add up."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from compaction.compare.engine import Gap, Layout, Status, causes_of_report, compare, shares_of
from compaction.compare.engine.presentation import ComparisonView, ContextSide, DiffRowView
from compaction.kinds.engine import KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.services.make import report_of
from compaction.kinds.services.summarising import Summariser
from sessions.context.engine.certainty import RequestSetup
from sessions.transcripts.engine.messages import Message, replace_fields, text_block
from sessions.usage.engine.tokens import estimate
from sessions.weights.engine import Basis, PromptSize, Rates, Weight
from sessions.weights.engine.message_weights import MessageWeights
from tests.examples import examples
from tests.sessions.transcripts.engine.messages.conversations import conversations

SETTINGS = {
    BUDGET: {"per_result": "300", "path": "/tmp/{tool_use_id}"},
    MICROCOMPACT: {"keep": "1"},
    COLLAPSE: {},
    FULL: {},
}


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[Message], list[Message]]:
    """A conversation, and the same with messages left out, moved, repeated, changed and put in."""
    before = draw(conversations(turns=3))
    random = Random(draw(st.integers(0, 999)))
    after = [message for message in before if random.random() > 0.3]
    if random.random() < 0.3:
        random.shuffle(after)
    after = [
        replace_fields(message, content=(text_block("other"),)) if random.random() < 0.2 else message
        for message in after
    ]
    after += [replace_fields(item, uuid="", position=None) for item in random.sample(before, min(2, len(before)))]
    return before, after


def checked(before: list[Message], after: list[Message], report: dict[str, object] | None = None) -> None:
    comparison = compare(before, after, causes_of_report(report or {}))
    assert sorted(row.before for row in comparison.rows if row.before is not None) == list(range(len(before)))
    assert sorted(row.after for row in comparison.rows if row.after is not None) == list(range(len(after)))
    counts = comparison.counts()
    assert sum(count.rows for count in counts) == len(comparison.rows)
    assert sum(count.before for count in counts) == estimate(before)
    assert sum(count.after for count in counts) == estimate(after)
    weights = MessageWeights(PromptSize(Weight(0, Basis.ESTIMATED)), Rates("claude-opus-4-6"))
    categories = [weights.categories(side, RequestSetup(), "claude-opus-4-6") for side in (before, after)]
    sizes = weights.size(before), weights.size(after)
    shares = shares_of(categories[0], categories[1], sizes)
    assert sum(share.before.tokens for share in shares) == round(sizes[0].weight.tokens)
    assert sum(share.after.tokens for share in shares) == round(sizes[1].weight.tokens)
    for row in comparison.rows:
        if row.status is Status.KEPT:
            assert row.before is not None
            assert row.after is not None
            assert before[row.before].content == after[row.after].content


@given(edits())
@settings(max_examples=examples(30, share=10))
def test_every_message_is_in_one_row_whatever_was_edited(pair: tuple[list[Message], list[Message]]) -> None:
    checked(*pair)


@given(st.sampled_from(list(SETTINGS)), conversations(turns=4))
@settings(max_examples=examples(30, share=10))
def test_every_message_is_in_one_row_whatever_kind_was_applied(kind: KindSpec, messages: list[Message]) -> None:
    applied = apply_kind(kind, messages, Parameters(settings=SETTINGS[kind]), now=2e9, model="claude-opus-4-6")
    checked(messages, list(applied.after), report_of(kind, applied, Summariser("mechanical", "")))


@given(edits(), st.sampled_from([(), (Status.KEPT,), (Status.DROPPED, Status.ADDED)]))
@settings(max_examples=examples(20, share=10))
def test_rows_and_gaps_of_a_page_are_all_rows_in_order(
    pair: tuple[list[Message], list[Message]], chosen: tuple[Status, ...]
) -> None:
    comparison = compare(*pair)
    wanted = [index for index, row in enumerate(comparison.rows) if not chosen or row.status in chosen]
    layout = Layout(comparison, chosen)
    assert opened(layout, layout.page()) == wanted
    for start in range(0, len(wanted), 7):
        assert opened(layout, layout.page(start)) == wanted


def opened(layout: Layout, items: list[int | Gap]) -> list[int]:
    """The rows, with every gap filled until none is left."""
    rows: list[int] = []
    for item in items:
        rows += [item] if isinstance(item, int) else opened(layout, layout.fill(item.first, item.end, item.first))
    return rows


@given(edits())
@settings(max_examples=examples(20, share=10))
def test_what_is_shown_has_the_places_of_the_messages(pair: tuple[list[Message], list[Message]]) -> None:
    comparison = compare(*pair)
    output = ComparisonView(comparison, ContextSide(pair[0]), ContextSide(pair[1]), str)
    for item in output.rows(list(range(len(comparison.rows)))[:30]):
        assert isinstance(item, DiffRowView)
        for message in (item.before, item.after):
            if message is not None:
                assert output.find(message.place) == item.place
                for block in message.blocks:
                    second = output.block(block.piece.place)
                    assert second is not None
                    assert second.piece.label == block.piece.label
