"""Three-way merges: what one side changed is kept, and nothing of either is ever dropped silently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.engine.merging import AgreedLines, Choice, LineOrigin, match_lines, merge
from memory.files.engine.reading.text import split_lines

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "same", "same"]), max_size=8)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


@given(TEXTS, TEXTS)
def test_what_only_one_side_changed_is_taken(base: str, other: str) -> None:
    assert merge(base, other, base).text() == other
    assert merge(base, base, other).text() == other
    assert merge(base, other, other).text() == other


@given(TEXTS, TEXTS, TEXTS)
def test_choosing_one_side_everywhere_keeps_all_of_its_own_lines(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)
    kept = split_lines(merged.text([Choice.BOTH] * len(merged.conflicts)))
    own = [line for side in (ours, theirs) for line in split_lines(side) if line not in split_lines(base)]
    assert {line.rstrip("\n") for line in own} <= {line.rstrip("\n") for line in kept}


@given(TEXTS, TEXTS, TEXTS)
def test_both_sides_are_treated_alike(base: str, ours: str, theirs: str) -> None:
    first, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert [(c.ours, c.theirs) for c in first.conflicts] == [(c.theirs, c.ours) for c in other.conflicts]


@given(st.lists(st.sampled_from("abcde"), max_size=30), st.lists(st.sampled_from("abcde"), max_size=30))
def test_matches_are_equal_lines_in_order(left: list[str], right: list[str]) -> None:
    i = j = 0
    for match in match_lines(left, right):
        assert match.size > 0
        assert match.left >= i
        assert match.right >= j
        assert left[match.left : match.left + match.size] == right[match.right : match.right + match.size]
        i, j = match.left + match.size, match.right + match.size


def test_changes_in_different_places_are_both_kept() -> None:
    merged = merge("one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n")
    assert merged.text() == "ONE\ntwo\nTHREE\n"
    assert [part.origin for part in merged.parts if isinstance(part, AgreedLines)] == [
        LineOrigin.OURS,
        LineOrigin.UNCHANGED,
        LineOrigin.THEIRS,
    ]


def test_a_conflict_is_no_larger_than_what_differs() -> None:
    merged = merge("one\n", "new\nmine\nend\n", "new\ntheirs\nend\n")
    (conflict,) = merged.conflicts
    assert (conflict.ours, conflict.theirs) == (("mine\n",), ("theirs\n",))
    assert merged.text(["neither\n"]) == "new\nneither\nend\n"
    assert merged.text([Choice.BASE]) == "new\none\nend\n"


def test_a_conflict_without_a_choice_gives_no_text() -> None:
    with pytest.raises(ValueError, match="1 conflicts need as many choices, not 0"):
        merge("a", "b", "c").text()


def test_a_hundred_thousand_lines_are_merged() -> None:
    """Blank lines between all of them: what looks at every pair would never end."""
    lines = [part for number in range(50_000) for part in (f"{number}", "")]
    base = "\n".join(lines)
    ours = "\n".join(["mine", *lines])
    theirs = "\n".join([*lines[:50_000], "theirs", *lines[50_001:]])
    merged = merge(base, ours, theirs)
    assert merged.is_clean
    assert merged.text() == "\n".join(["mine", *lines[:50_000], "theirs", *lines[50_001:]])
