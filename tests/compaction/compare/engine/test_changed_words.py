from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.compare.engine import changed_words
from compaction.compare.engine.changed_words import DiffAllowance, Stretch, elide, word_diff

LINES = st.lists(st.sampled_from(["tide\n", "the water rises\n", "the water falls\r\n", "\n", "low", " ", "é\u2028"]))
TEXTS = st.one_of(LINES.map("".join), st.text(max_size=60))


def sides(stretches: tuple[Stretch, ...]) -> tuple[str, str]:
    old = "".join(stretch.text for stretch in stretches if stretch.kind != "added")
    return old, "".join(stretch.text for stretch in stretches if stretch.kind != "removed")


@given(TEXTS, TEXTS, st.sampled_from([0, 30, 10_000]))
def test_both_sides_can_be_put_together_again(old: str, new: str, room: int) -> None:
    diff = word_diff(old, new, DiffAllowance(room))
    assert sides(diff) == (old, new)
    assert all(change.text for change in diff)
    assert all(earlier.kind != other.kind for earlier, other in pairwise(diff))


def test_it_marks_the_words_that_changed() -> None:
    diff = word_diff("high water at noon", "low water at noon")
    assert diff == (Stretch("removed", "high"), Stretch("added", "low"), Stretch("same", " water at noon"))


def test_a_space_between_two_changes_is_no_word_that_stayed() -> None:
    diff = word_diff("the high water here", "the low tide here")
    assert [change.kind for change in diff] == ["same", "removed", "added", "same"]


def test_texts_without_a_common_word_are_replaced_as_a_whole() -> None:
    diff = word_diff("one, two, three", "vier, fuenf, sechs")
    assert diff == (Stretch("removed", "one, two, three"), Stretch("added", "vier, fuenf, sechs"))


def test_a_line_that_moved_past_others_leaves_them_alone() -> None:
    old = [f"line {number} of the log\n" for number in range(40)]
    diff = word_diff("".join(old), "".join([*old[1:], old[0]]))
    assert [(change.kind, change.text.count("\n")) for change in diff] == [("removed", 1), ("same", 39), ("added", 1)]


def test_megabytes_are_compared_by_lines_and_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is counted, in words that difflib gets to see."""
    seen: list[int] = []

    class Counting(SequenceMatcher[str]):
        def __init__(self, junk: None, left: list[str], right: list[str], autojunk: bool) -> None:
            seen.append(len(left) * len(right))
            super().__init__(junk, left, right, autojunk)

    monkeypatch.setattr(changed_words, "SequenceMatcher", Counting)
    lines = [f"{number} high water at the pier\n" for number in range(100_000)]
    other = list(lines)
    other[1_000] = "1000 low water at the pier\n"
    other[50_000:50_100] = ["an unlike line\n"] * 5_000
    diff = word_diff("".join(lines), "".join(other))
    assert sides(diff) == ("".join(lines), "".join(other))
    assert Stretch("removed", "high") in diff
    assert sum(seen) <= changed_words.TOTAL
    assert len(diff) < 20
    same_line = "tide " * 300_000
    assert len(word_diff(same_line, same_line.replace("tide", "ebb"))) == 3
    assert sum(seen) <= changed_words.TOTAL


def test_what_stayed_is_shown_around_a_change_only() -> None:
    diff = elide(word_diff("a " * 500 + "high " + "b " * 500, "a " * 500 + "low " + "b " * 500), 10, 50)
    assert diff[0] == Stretch("same", "", 991)
    assert diff[1].text == " a a a a "
    assert [change.text for change in diff[2:4]] == ["high", "low"]
    assert diff[-1].elided > 900


def test_a_long_change_is_cut_on_its_own_side() -> None:
    diff = elide(word_diff("x", "y " * 500), 10, 50)
    assert [(change.kind, bool(change.elided)) for change in diff] == [
        ("removed", False),
        ("added", False),
        ("added", True),
    ]
