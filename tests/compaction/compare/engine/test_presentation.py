from __future__ import annotations

from compaction.compare.engine import compare
from compaction.compare.engine.presentation import (
    ComparisonView,
    ContextSide,
    DiffBlockView,
    DiffMessageView,
    DiffRowView,
    pair_blocks,
)
from sessions.transcripts.engine.messages import Block, Message, MessageKind, replace_fields, text_block
from tests.sessions.transcripts.engine.talk import answered, call, returned, typed

THOUGHT: Block = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}


def row(
    before: Message, after: Message, mask: object = str, opened: str = ""
) -> tuple[DiffMessageView, DiffMessageView]:
    comparison = compare([before], [after])
    assert callable(mask)
    output = ComparisonView(comparison, ContextSide([before]), ContextSide([after]), mask, opened).rows([0])[0]
    assert isinstance(output, DiffRowView)
    assert output.before is not None
    assert output.after is not None
    return output.before, output.after


def diff_of(block: DiffBlockView) -> list[tuple[str, str]]:
    assert block.diff is not None
    return [(change.kind, change.text) for change in block.diff]


def test_both_sides_of_a_changed_block_tell_the_same_words() -> None:
    before, after = row(typed("high water", "a"), typed("low water", "a"))
    assert diff_of(before.blocks[0]) == diff_of(after.blocks[0])
    assert diff_of(after.blocks[0]) == [("removed", "high"), ("added", "low"), ("same", " water")]


def test_a_block_that_stayed_is_paired_and_one_that_went_is_not() -> None:
    both = answered("Yes.", id="m")
    before, after = row(replace_fields(both, content=(THOUGHT, *both.content)), both)
    assert [block.paired for block in before.blocks] == [False, True]
    assert [block.paired for block in after.blocks] == [True]
    assert all(block.diff is None for block in (*before.blocks, *after.blocks))


def test_blocks_are_partners_by_their_call() -> None:
    old = [call("a"), call("b"), text_block("x")]
    assert pair_blocks(old, [text_block("y"), call("b")]) == [(1, 1), (2, 0)]


def test_a_cleared_result_is_not_told_as_words_that_changed() -> None:
    before, after = row(returned(("a", "2.44 m")), returned(("a", "[Old tool result content cleared]")))
    assert before.blocks[0].diff is None
    assert before.blocks[0].piece.words == "2.44 m"
    assert after.blocks[0].piece.notes[0].name == "cleared"


def test_secrets_are_masked_before_the_words_are_compared() -> None:
    before, after = row(
        typed("token hush1 here", "a"),
        typed("token hush2 there", "a"),
        lambda text: text.replace("hush", "●").replace("●1", "●").replace("●2", "●"),
    )
    assert ("removed", "here") in diff_of(before.blocks[0])
    assert "hush" not in str(diff_of(after.blocks[0]))


def test_a_long_diff_is_cut_and_opened_on_demand() -> None:
    words = "so it is " * 900
    before, _ = row(typed(f"{words}high", "a"), typed(f"{words}low", "a"))
    assert before.blocks[0].piece.cut
    whole, _ = row(typed(f"{words}high", "a"), typed(f"{words}low", "a"), opened="b0.0")
    assert not whole.blocks[0].piece.cut
    assert sum(len(text) for _, text in diff_of(whole.blocks[0])) > 8_000


def test_what_no_entry_holds_has_no_link() -> None:
    made = Message("user", (text_block("In short."),), MessageKind.SUMMARY, "derived")
    before, after = row(replace_fields(made, position=7), made)
    assert before.blocks[0].piece.address == "derived"
    assert after.blocks[0].piece.address == ""
    assert after.blocks[0].piece.origin == "made by the client"
