from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.text.engine.diffs import Diff, from_patch, from_texts, mark_changed_words, mark_words

LINES = st.lists(st.text(alphabet="ab \n", max_size=6), max_size=30).map("\n".join)


def sides(diff: Diff) -> tuple[list[str], list[str]]:
    lines = [line for hunk in diff.hunks for line in hunk.lines]
    return [x.text for x in lines if x.kind == "-"], [x.text for x in lines if x.kind == "+"]


def test_a_patch_is_taken_as_recorded() -> None:
    diff = from_patch([{"oldStart": 3, "newStart": 4, "lines": [" a", "-b", "+c", "\\ No newline at end of file", 7]}])
    assert diff is not None
    assert (diff.hunks[0].old, diff.hunks[0].new, sides(diff)) == (3, 4, (["b"], ["c"]))


@pytest.mark.parametrize("patch", [None, "x", [], [1], [{"lines": "x"}], [{"lines": []}], {"lines": ["+a"]}])
def test_what_is_no_patch_gives_none(patch: object) -> None:
    assert from_patch(patch) is None


def test_equal_texts_have_no_hunks() -> None:
    assert from_texts("a\nb", "a\nb").hunks == ()


def test_context_stands_around_a_change() -> None:
    text = [f"line {n}" for n in range(20)]
    (hunk,) = from_texts("\n".join(text), "\n".join([*text[:10], "new", *text[11:]])).hunks
    assert [line.kind for line in hunk.lines] == [" ", " ", " ", "-", "+", " ", " ", " "]


@given(LINES, LINES)
def test_the_new_side_of_a_diff_has_exactly_the_changes(old: str, new: str) -> None:
    removed, added = sides(from_texts(old, new))
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    assert len(after) - len(before) == len(added) - len(removed)
    assert all(line in before for line in removed)
    assert all(line in after for line in added)


@given(LINES, LINES, st.integers(0, 10))
def test_the_head_is_about_as_long_as_asked_for(old: str, new: str, count: int) -> None:
    assert from_texts(old, new).head(count).length <= count + 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_words_put_together_are_the_lines(old: str, new: str) -> None:
    left, right = mark_changed_words(old, new)
    assert ("".join(text for text, _ in left), "".join(text for text, _ in right)) == (old, new)


def test_changed_words_are_marked() -> None:
    assert mark_changed_words("return old_name(x)", "return new_name(x)") == (
        (("return ", False), ("old_name", True), ("(x)", False)),
        (("return ", False), ("new_name", True), ("(x)", False)),
    )


def test_lines_with_little_in_common_are_left_unmarked() -> None:
    assert mark_changed_words("alpha beta", "x = 1")[0] == (("alpha beta", False),)


def test_only_runs_of_equal_length_are_compared_by_words() -> None:
    diff = from_texts("a one\nb two", "a ONE\nc three\nb two")
    assert all(not changed for line in mark_words(diff.hunks[0]).lines for _, changed in line.segments)


def test_large_and_unlike_texts_are_compared_at_all() -> None:
    old, new = "\n".join(f"a{n % 7}" for n in range(40_000)), "\n".join(f"b{n % 5}" for n in range(40_000))
    diff = from_texts(old, new)
    assert (diff.removed, diff.added) == (40_000, 40_000)
