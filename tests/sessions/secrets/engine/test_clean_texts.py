from __future__ import annotations

from sessions.secrets.engine.clean_texts import SHORTEST, CleanTexts


class Masking:
    def __init__(self) -> None:
        self.looked: list[str] = []

    def __call__(self, text: str) -> str:
        self.looked.append(text)
        return text.replace("hunter2", "…")


def text_of(words: str) -> str:
    return words.ljust(SHORTEST, ".")


def test_a_text_without_a_secret_is_looked_through_once() -> None:
    clean, masking = CleanTexts(), Masking()
    text = text_of("the tide tables of May")
    assert [clean.mask(text, masking) for _ in range(3)] == [text] * 3
    assert masking.looked == [text]


def test_a_text_with_a_secret_is_masked_each_time() -> None:
    clean, masking = CleanTexts(), Masking()
    text = text_of("password hunter2")
    assert {clean.mask(text, masking) for _ in range(3)} == {text.replace("hunter2", "…")}
    assert len(masking.looked) == 3


def test_what_is_remembered_is_bounded_and_what_is_used_stays() -> None:
    clean, masking = CleanTexts(most=10), Masking()
    often = text_of("asked for again and again")
    for number in range(200):
        clean.mask(often, masking)
        clean.mask(text_of(f"text {number}"), masking)
    assert masking.looked.count(often) == 1
    assert len(clean._newer) + len(clean._older) <= 20


def test_lone_surrogates_are_texts_too() -> None:
    clean, masking = CleanTexts(), Masking()
    text = text_of("a lone \ud800 surrogate")
    assert clean.mask(text, masking) == text
