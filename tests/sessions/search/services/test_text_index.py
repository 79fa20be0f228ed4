from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sessions.search.services.text_index import OVERLAP, PIECE_WORDS, SAME_WORD, make_vectors


def places(vector: str) -> dict[str, list[int]]:
    return {
        word.rpartition(":")[0].strip("'"): [int(part) for part in word.rpartition(":")[2].split(",")]
        for word in vector.split(" ")
    }


@given(st.lists(st.sampled_from(["tide", "water", "high"]), max_size=2_000))
def test_pieces_hold_every_pair_of_words_that_stand_together(words: list[str]) -> None:
    pieces = [places(vector) for vector in make_vectors(" ".join(words))]
    items = set()
    for piece in pieces:
        assert all(len(position) <= SAME_WORD for position in piece.values())
        order = {position: word for word, positions in piece.items() for position in positions}
        assert sorted(order) == list(range(1, len(order) + 1))
        items |= {(order[position], order[position + 1]) for position in order if position + 1 in order}
    assert items == set(pairwise(words))


def test_a_long_text_is_cut_into_pieces_that_overlap() -> None:
    words = [f"word{number}" for number in range(PIECE_WORDS + 10)]
    first, second = (places(vector) for vector in make_vectors(" ".join(words)))
    assert max(position for positions in first.values() for position in positions) == PIECE_WORDS
    assert len(second) == OVERLAP + 10


def test_nothing_is_indexed_of_a_text_without_words() -> None:
    assert list(make_vectors(" .,- ")) == []
