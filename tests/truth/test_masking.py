"""Texts of the client become letters that say nothing, and still fit together."""

from __future__ import annotations

from tests.truth.masking import Mask

SALT = b"salt"
WORDS = "Remember always to look before you leap."


def test_words_become_letters_of_the_same_number() -> None:
    masked = Mask([], SALT).text(WORDS)
    assert masked != WORDS
    assert [len(word) for word in masked.split()] == [len(word) for word in WORDS.split()]
    assert not any(word in masked for word in ("Remember", "always", "look", "before", "you", "leap"))


def test_joining_lines_and_masking_them_is_the_same_in_either_order() -> None:
    mask = Mask([], SALT)
    lines = [WORDS, "<system-reminder>", "A second line of the client.", "</system-reminder>"]
    assert mask.text("\n".join(lines)) == "\n".join(mask.text(line) for line in lines)


def test_our_own_words_tags_paths_and_names_stay() -> None:
    mask = Mask(["When is high water?"], SALT)
    for kept in ("When is high water?", "<system-reminder>", "/tmp/tides/north.md", "toolu_01abc9", "general-purpose"):
        assert mask.text(kept) == kept
    assert "When is high water" in mask.text("They asked: When is high water? And left.")
    assert "asked" not in mask.text("They asked: When is high water?")


def test_different_words_never_become_the_same() -> None:
    words = [f"{first}{second}a" for first in "abcdefghijklmnopqrst" for second in "abcdefghijklmnopqrst"]
    masked = Mask([], SALT).text(" ".join(words)).split()
    assert len(set(masked)) == len(words)


def test_what_was_masked_is_left_as_it_is() -> None:
    masked = Mask([], SALT).text(WORDS)
    assert Mask([], b"other").text(masked) == masked
    assert Mask([], b"other").text(WORDS) != masked


def test_a_path_in_json_stays_as_it_is_elsewhere() -> None:
    words = 'Called with {"file_path":"/tmp/tides/marks.md"}'
    assert '{"file_path":"/tmp/tides/marks.md"}' in Mask(["file_path"], b"salt").text(words).replace(" ", "")
