"""Changes in pieces: all of them make the new text, none the old one, and any choice is a text in between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.proposals.engine.hunks import apply_hunks, split_hunks

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@given(TEXTS, TEXTS)
def test_all_or_none_of_the_changes(old: str, new: str) -> None:
    numbers = {hunk.number for hunk in split_hunks(old, new)}
    assert apply_hunks(old, new, numbers) == new
    assert apply_hunks(old, new, ()) == old


def test_each_change_can_be_taken_alone() -> None:
    old, new = "one\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\nfive\n"
    first, second = split_hunks(old, new)
    assert (first.old, first.new, second.old, second.new) == (("one\n",), ("ONE\n",), (), ("five\n",))
    assert apply_hunks(old, new, {0}) == "ONE\ntwo\nthree\nfour\n"
    assert apply_hunks(old, new, {1}) == "one\ntwo\nthree\nfour\nfive\n"


def test_a_change_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="There is no change 3; there are 1"):
        apply_hunks("a\n", "b\n", {3})
