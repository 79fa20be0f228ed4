from __future__ import annotations

from compaction.compare.engine import Comparison, Gap, Layout, compare
from compaction.compare.engine.layout import HEAD, TAIL, WINDOW
from compaction.compare.engine.presentation import ROOM, ComparisonView, ContextSide, DiffRowView
from sessions.transcripts.engine.messages import Message, replace_fields, text_block
from tests.sessions.transcripts.engine.talk import typed


def many(count: int, *, every: int = 0) -> Comparison:
    """So many messages; each `every`-th of them is changed."""
    before = [typed(f"Message {number} <b> " + "high water & low water " * 60, str(number)) for number in range(count)]
    after: list[Message] = [
        replace_fields(message, content=(text_block(f"{message.content[0]['text']} or not"),))
        if every and index % every == 0
        else message
        for index, message in enumerate(before)
    ]
    return compare(before, after)


def test_a_long_run_is_its_ends_and_a_gap_with_counts_and_tokens() -> None:
    result = many(30_000)
    page = Layout(result).page()
    assert len(page) == HEAD + 1 + TAIL
    gap = page[HEAD]
    assert isinstance(gap, Gap)
    assert gap.single is not None
    assert (gap.count, gap.single.rows) == (30_000 - HEAD - TAIL,) * 2
    assert gap.before == gap.after == sum(result.weight_before[HEAD:-TAIL])


def test_a_gap_is_filled_a_window_at_a_time_from_either_end() -> None:
    layout = Layout(many(500))
    gap = layout.page()[HEAD]
    assert isinstance(gap, Gap)
    first = layout.fill(gap.first, gap.end, gap.first)
    assert first[:WINDOW] == list(range(2, 2 + WINDOW))
    assert isinstance(first[WINDOW], Gap)
    last = layout.fill(gap.first, gap.end, gap.last)
    assert isinstance(last[0], Gap)
    assert last[1:] == list(range(499 - WINDOW, 499))


def test_very_many_short_runs_are_no_more_than_a_window() -> None:
    page = Layout(many(30_000, every=2)).page()
    assert len(page) <= WINDOW + 1
    gap = page[-1]
    assert isinstance(gap, Gap)
    assert gap.single is None
    assert {count.status.value for count in gap.counts} == {"kept", "changed"}


def test_the_rows_of_a_page_fit_its_room() -> None:
    result = many(300, every=2)
    output = ComparisonView(result, ContextSide(result.before), ContextSide(result.after), str)
    rows = output.rows(list(range(WINDOW)))
    words = [
        "".join(change.text for change in block.diff) if block.diff is not None else block.piece.words
        for row in rows
        if isinstance(row, DiffRowView)
        for side in (row.before, row.after)
        if side is not None
        for block in side.blocks
    ]
    assert sum(map(len, words)) < ROOM


def test_places_outside_mean_the_nearest_inside() -> None:
    layout = Layout(many(10))
    assert layout.page(99) == [Gap(0, 9, layout.page(99)[0].counts), 9]  # type: ignore[union-attr]
    assert layout.fill(90, 99, 95) == []
    assert Layout(many(0)).page() == []
