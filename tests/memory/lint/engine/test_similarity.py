from __future__ import annotations

import pytest

from memory.lint.engine import similarity
from memory.lint.engine.similarity import find_similar_pairs
from memory.lint.engine.stems import significant_words

FIRST = "Heights are printed in metres with two decimals because skippers compare them with the harbour board"
COPY = FIRST.upper().replace("SKIPPERS", "pilots")


def test_copies_are_paired_whatever_their_case_and_punctuation() -> None:
    other = "The moorings of the northern quay belong to the sailing club, which paints them every second spring"
    assert [(pair.first, pair.second) for pair in find_similar_pairs([FIRST, other, f"({COPY})."])] == [(0, 2)]


def test_what_many_texts_hold_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []

    def counted(text: str) -> list[str]:
        taken.append(text)
        return significant_words(text)

    monkeypatch.setattr(similarity, "significant_words", counted)
    find_similar_pairs([FIRST] * 50)
    assert sorted(taken) == sorted(set(FIRST.split()))


def test_texts_of_a_few_words_are_compared_with_nothing() -> None:
    assert find_similar_pairs(["", "Two words", "Two words"]) == []
