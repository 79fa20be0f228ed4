from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compaction.cache.engine.differences.divergence import byte_offset, edit_of


@given(st.text(), st.text())
def test_what_is_the_same_at_both_ends_and_what_differs_make_up_both_texts(old: str, new: str) -> None:
    edit = edit_of(old, new)
    end = len(old) - edit.same_characters - edit.removed
    assert old[: edit.same_characters] == new[: edit.same_characters]
    assert old[len(old) - end :] == new[len(new) - end :]
    assert len(new) == edit.same_characters + edit.added + end
    assert (edit.removed, edit.added) == (0, 0) if old == new else edit.removed + edit.added > 0


@given(st.text(), st.text(min_size=1), st.text(min_size=1))
def test_the_first_difference_is_found(same: str, old: str, new: str) -> None:
    edit = edit_of(same + old, same + new)
    assert edit.same_characters >= len(same)
    left, right = (
        (same + old)[edit.same_characters : edit.same_characters + 1],
        (same + new)[edit.same_characters : edit.same_characters + 1],
    )
    assert left != right or (same + old) == (same + new)


@given(st.text())
def test_an_offset_in_bytes_is_that_of_the_encoded_text(words: str) -> None:
    assert byte_offset(words, len(words)) == len(words.encode("utf-8", "surrogatepass"))
