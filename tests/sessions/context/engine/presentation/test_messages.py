"""The array as a page shows it."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine.presentation.messages import (
    BLOCKS,
    HEAD,
    PIECES,
    ROOM,
    WINDOW,
    ElementView,
    MessageArray,
    MessageGap,
)
from sessions.secrets.engine import mask
from tests.sessions.context.engine.context_helpers import attach, call, following, thought
from tests.sessions.context.engine.test_history import compact, talk
from tests.sessions.writing import Writing


def long(messages: int) -> MessageArray:
    writing = Writing()
    talk(writing, *(f"number {n}" for n in range(messages // 2)))
    return MessageArray(following(writing), mask)


def numbers(items: list[ElementView | MessageGap]) -> list[Any]:
    return [(item.first, item.end) if isinstance(item, MessageGap) else item.number for item in items]


def test_a_short_array_is_shown_as_a_whole() -> None:
    assert numbers(long(20).page()) == list(range(1, 21))


def test_of_a_long_array_the_first_few_and_the_last_are_shown() -> None:
    items = numbers(long(200).page())
    assert items[:HEAD] == [1, 2, 3, 4]
    assert items[HEAD] == (HEAD, 200 - WINDOW)
    assert items[HEAD + 1 :] == list(range(200 - WINDOW + 1, 201))


@pytest.mark.parametrize("start", [0, 3, 100, 199, 5_000])
def test_any_part_of_the_array_can_be_asked_for(start: int) -> None:
    items = numbers(long(200).page(start))
    assert min(start, 199) + 1 in items
    covered = [n for item in items for n in (range(item[0] + 1, item[1] + 1) if isinstance(item, tuple) else [item])]
    assert covered == list(range(1, 201))


def test_a_gap_is_filled_from_either_end_until_nothing_is_left() -> None:
    array = long(200)
    (gap,) = [item for item in array.page() if isinstance(item, MessageGap)]
    first = array.fill(gap.first, gap.end, gap.first)
    assert numbers(first)[:2] == [HEAD + 1, HEAD + 2]
    assert isinstance(first[-1], MessageGap)
    last_ones = array.fill(gap.first, gap.end, gap.last)
    assert isinstance(last_ones[0], MessageGap)
    assert numbers(last_ones)[-1] == gap.end
    left = first[-1]
    for _ in range(10):
        filled = array.fill(left.first, left.end, left.first)
        if not isinstance(filled[-1], MessageGap):
            break
        left = filled[-1]
    assert numbers(filled)[-1] == gap.end


def test_a_window_is_bounded_by_its_blocks_and_by_its_bytes() -> None:
    writing = Writing()
    for n in range(40):
        writing.user("ask")
        tools = [f"toolu_{n}_{k}" for k in range(30)]
        writing.assistant(*(call(tool, command="x" * 5_000) for tool in tools))
        for tool in tools:
            writing.result(tool, '"<&>' * 2_000)
    items = [item for item in MessageArray(following(writing), mask).page() if isinstance(item, ElementView)]
    assert sum(len(element.pieces) for element in items) <= BLOCKS + HEAD * PIECES
    assert all(len(element.pieces) <= PIECES for element in items)
    assert sum(len(piece.words) for element in items for piece in element.pieces) < ROOM
    assert any(element.more == 30 - PIECES for element in items)


def test_a_block_is_cut_masked_and_can_be_had_as_a_whole() -> None:
    writing = Writing()
    writing.user("word " * 2_000 + "ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0 end")
    array = MessageArray(following(writing), mask)
    (element,) = array.page()
    assert isinstance(element, ElementView)
    assert element.pieces[0].cut
    assert len(element.pieces[0].words) < 500
    whole = array.piece("0.0")
    assert whole is not None
    assert not whole.cut
    assert whole.words.endswith("end")
    assert "EXAMPLEexample" not in whole.words


@pytest.mark.parametrize("place", ["", "0", "0.9", "9.0", "x.y", "-1.0", "0.²", "system.0", "9" * 50 + ".0", "1.1.1"])
def test_a_block_that_is_not_there_is_none(place: str) -> None:
    writing = Writing()
    writing.user("ask")
    assert MessageArray(following(writing), mask).piece(place) is None


def test_every_block_leads_to_its_entry_and_is_called_by_what_it_is() -> None:
    writing = Writing()
    question = writing.user("ask")
    writing.assistant(thought(), "say", call("toolu_1", "Read", file_path="/a", limit=3))
    writing.result("toolu_1", "no such file", error=True)
    noted = attach(writing, "todo_reminder", "Mind the list.")
    elements = [item for item in MessageArray(following(writing), mask).page() if isinstance(item, ElementView)]
    pieces = [piece for element in elements for piece in element.pieces]
    assert [piece.label for piece in pieces] == ["prompt", "thinking", "text", "Read", "Read result", "text"]
    assert pieces[0].address == question
    assert pieces[3].words == "file_path: /a\nlimit: 3"
    assert pieces[4].error
    assert (pieces[5].address, pieces[5].notes[0].name) == (noted, "injected")
    assert all(piece.origin == "" for piece in pieces)


def test_a_summary_and_a_cleared_result_are_marked() -> None:
    writing = Writing()
    compact(writing)
    writing.assistant(call("toolu_1"))
    writing.result("toolu_1", "high water")
    writing.row("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["toolu_1"]})
    elements = [item for item in MessageArray(following(writing), mask).page() if isinstance(item, ElementView)]
    notes = [[(note.name, note.by) for note in piece.notes] for element in elements for piece in element.pieces]
    assert notes == [[("summarised", None)], [], [("cleared", 4)]]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "source": "nonsense"},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "tool_use", "id": 3, "name": None, "input": ["list"]},
        {"type": "tool_result", "tool_use_id": None, "content": [{"type": "tool_reference", "tool_name": "x"}, "y"]},
        {"type": "something_new", "inside": {"deep": [1, 2, {"a": None}]}},
        {"type": ["list"]},
        {},
    ],
)
def test_a_block_of_any_kind_can_be_shown(block: dict[str, Any]) -> None:
    writing = Writing()
    writing.row("user", message={"role": "user", "content": [block]})
    context = following(writing)
    items = MessageArray(context, mask).page()
    assert len(items) == len(context.elements)
