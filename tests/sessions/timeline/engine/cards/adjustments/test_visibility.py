from __future__ import annotations

from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason
from sessions.timeline.engine.cards import Badge, Card, CardKind, Chip
from sessions.timeline.engine.cards.adjustments.visibility import mark_visibility
from sessions.transcripts.engine.marks import Fate


def card(*rows: int, kind: CardKind = CardKind.ASSISTANT, chips: tuple[Chip, ...] = ()) -> Card:
    later = Badge(Fate.SUMMARISED, "▨", "in summary", 99)
    return Card(kind, rows[0], f"L{rows[0]}", None, 1, "", rows=rows, marks=(later,), chips=chips)


def seen(shown: Card, *left: LeftOutEntry, until: int = 50) -> list[tuple[str, int | None]]:
    (result,) = mark_visibility([shown], {item.position: item for item in left}, until)
    return [(mark.fate.value, mark.by) for mark in result.marks]


def test_what_is_not_left_out_is_in_context_whatever_became_of_it_later() -> None:
    assert seen(card(3)) == [("seen", None)]


def test_what_is_left_out_says_why_and_by_which_record() -> None:
    assert seen(card(3), LeftOutEntry(3, LeftOutReason.SUMMARISED, 20)) == [("summarised", 20)]
    assert seen(card(3), LeftOutEntry(3, LeftOutReason.SIDECHAIN)) == [("sidechain", None)]
    assert seen(card(3), LeftOutEntry(3, LeftOutReason.UNSENT)) == [("unsent", None)]


def test_what_came_after_the_request_is_not_yet_there() -> None:
    assert seen(card(50)) == [("ahead", None)]


def test_a_call_is_seen_without_the_text_of_its_cleared_result() -> None:
    assert seen(card(3, 4), LeftOutEntry(4, LeftOutReason.CLEARED, 20)) == [("seen", None), ("cleared", 20)]


def test_a_call_whose_result_came_later_is_seen() -> None:
    assert seen(card(49, 60)) == [("seen", None)]


def test_a_boundary_whose_summary_is_sent_is_seen() -> None:
    assert seen(card(3, 4, kind=CardKind.BAR), LeftOutEntry(3, LeftOutReason.UNSENT)) == [("seen", None)]


def test_each_chip_of_a_line_has_its_own_sight() -> None:
    chips = (Chip("a", "", 3, "L3"), Chip("b", "", 4, "L4"), Chip("c", "", 60, "L60"))
    line = card(3, 4, 60, kind=CardKind.CHIPS, chips=chips)
    (result,) = mark_visibility([line], {4: LeftOutEntry(4, LeftOutReason.UNSENT)}, 50)
    assert [chip.visibility for chip in result.chips] == ["seen", "unsent", "ahead"]


def test_a_run_of_cards_says_it_once() -> None:
    result = mark_visibility([card(1), card(2), card(3)], {3: LeftOutEntry(3, LeftOutReason.SNIPPED, 9)}, 50)
    assert [[mark.repeated for mark in item.marks] for item in result] == [[False], [True], [False]]
