from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sessions.export.engine.safe_markdown import contain_markdown

MARK = "the end of the text"
BLOCKS = ["```", "````", "~~~", "> ", "- ", "1. ", "# ", "    ", "\t", "\n", "\n\n", "\r", "\r\n"]
INLINE = ["`", "``", "*", "_", "\\", "&lt;", "a", "b", "![a](b)", "[a]: b"]
TAGS = ["<!--", "-->", "<div>", "</div>", "<script>", "<details>", "<?", "<![CDATA[", "<a"]
PIECES = st.sampled_from(BLOCKS + INLINE + TAGS)


def parse(text: str) -> list[Token]:
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(f"{contain_markdown(text)}\n\n# {MARK}\n")


def is_loud(token: Token) -> bool:
    return token.type == "html_block" or any(child.type in ("html_inline", "image") for child in token.children or ())


@given(st.lists(PIECES, max_size=24).map("".join))
def test_no_text_reaches_beyond_itself(text: str) -> None:
    tokens = parse(text)
    assert [token.type for token in tokens[-3:]] == ["heading_open", "inline", "heading_close"]
    assert tokens[-2].content == MARK
    assert tokens[-1].level == 0
    assert not [token for token in tokens if is_loud(token)]


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        "# A heading\n\n- a list\n- `<b>` in code\n\n```html\n<script>\n```\n",
        "1. a step\n\n   ```\n   <div>\n   ```\n",
        "a < b and c > d & e",
        "see <https://example.org>",
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert contain_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\nopen", "```\nopen\n```"),
        ("~~~~\nopen", "~~~~\nopen\n~~~~"),
        ("Vec<String> is `Vec<T>`", r"Vec\<String> is `Vec<T>`"),
        ("<details>\n<b>x</b>", "\\<details>\n\\<b>x\\</b>"),
        ("![p](https://example.org/p.png)", r"\!\[p](https://example.org/p.png)"),
    ],
)
def test_what_would_reach_beyond_is_mended(text: str, expected: str) -> None:
    assert contain_markdown(text) == expected


def test_text_that_would_take_a_parser_too_long_goes_into_a_fence() -> None:
    assert contain_markdown("![" * 20_000).startswith("```\n![![")
