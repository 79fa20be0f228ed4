from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sessions.export.engine.fences import escape_line, make_code_span, make_fence

MARKUP = st.text(alphabet="`*_[]<>#~&\\ab \n!-", max_size=60)


@given(MARKUP)
def test_a_fence_holds_all_of_its_text(text: str) -> None:
    (token,) = MarkdownIt("commonmark").parse(make_fence(text, "diff"))
    assert token.type == "fence"
    assert token.content == f"{text}\n"
    assert token.info == "diff"


@given(MARKUP)
def test_a_code_span_holds_all_of_its_words(text: str) -> None:
    words = " ".join(text.split())
    if not words:
        assert make_code_span(text) == ""
        return
    _, inline, _ = MarkdownIt("commonmark").parse(f"a {make_code_span(text)} b")
    assert [child.content for child in inline.children or ()] == ["a ", words, " b"]


@given(MARKUP)
def test_a_line_has_no_markup(text: str) -> None:
    _, inline, _ = MarkdownIt("commonmark", {"html": True}).parse(f"a {escape_line(text)} b")
    assert {child.type for child in inline.children or ()} <= {"text", "text_special"}
    output = "".join(child.content for child in inline.children or ())
    assert output.split() == f"a {text} b".split()


@pytest.mark.parametrize("name", ["session_id", "a & b", "C:/x!", "50%"])
def test_ordinary_words_need_no_backslash(name: str) -> None:
    assert escape_line(name) == name
