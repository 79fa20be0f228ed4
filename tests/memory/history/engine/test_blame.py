"""Lines keep the version that brought them, whatever happens around them."""

from __future__ import annotations

from memory.history.engine.blame import blame


def test_lines_that_stay_keep_their_version() -> None:
    lines = blame([(1, "one\ntwo\n"), (2, "zero\none\ntwo\n"), (3, "zero\ntwo\nthree\n")])
    assert [(line.text, line.version) for line in lines] == [("zero\n", 2), ("two\n", 1), ("three\n", 3)]


def test_a_text_brought_back_brings_back_its_authors() -> None:
    lines = blame([(1, "one\n"), (2, "one\ntwo\n"), (3, ""), (4, "one\ntwo\n")])
    assert [line.version for line in lines] == [1, 2]


def test_nothing_has_no_lines() -> None:
    assert blame([]) == ()
