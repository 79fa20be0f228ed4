"""What is kept of pages: under all its values, and bounded."""

from __future__ import annotations

from functools import partial

from inspector.web.sized_cache import SizedCache


def test_it_is_made_once_for_the_same_values_and_anew_for_others() -> None:
    kept: SizedCache[str] = SizedCache(1_000, len)
    made: list[str] = []

    def make(word: str) -> str:
        made.append(word)
        return word * 2

    assert [kept.get((word, 1), partial(make, word)) for word in ("a", "b", "a")] == ["aa", "bb", "aa"]
    assert made == ["a", "b"]


def test_what_was_not_asked_for_the_longest_goes_first_and_the_bound_holds() -> None:
    kept: SizedCache[str] = SizedCache(10, len)
    for word in ("aaaa", "bbbb", "aaaa", "cccc"):
        kept.get(word, partial(str, word))
        assert kept.size <= 10
    assert kept.get("aaaa", lambda: "made anew") == "aaaa"
    assert kept.get("bbbb", lambda: "again") == "again"


def test_what_is_larger_than_all_may_be_is_made_and_not_kept() -> None:
    kept: SizedCache[str] = SizedCache(10, len)
    assert kept.get("large", lambda: "x" * 11) == "x" * 11
    assert kept.size == 0
