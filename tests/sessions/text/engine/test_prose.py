from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.text.engine.invisible_characters import spell_invisible
from sessions.text.engine.prose import MAX_PROSE, Pointer, render

ALLOWED = re.compile(r"(p|br|hr|em|strong|s|code|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|h[1-6]|span|i|a)")


def test_markdown_becomes_html() -> None:
    assert render("a **b** `c` ~~d~~") == "<p>a <strong>b</strong> <code>c</code> <s>d</s></p>\n"
    assert render("| a |\n|--:|\n| 1 |").count('class="r"') == 2


def test_plain_words_need_no_parser_and_look_the_same() -> None:
    assert render("Now I look at the tests.") == "<p>Now I look at the tests.</p>"
    assert render("1. one").startswith("<ol>")
    assert render("    indented") == "<pre><code>indented\n</code></pre>\n"


def test_html_is_shown_as_text() -> None:
    assert render("<script>alert(1)</script><b onclick=x>") == (
        "<p>&lt;script&gt;alert(1)&lt;/script&gt;&lt;b onclick=x&gt;</p>\n"
    )


def test_links_go_only_where_a_browser_may_go() -> None:
    assert render("[a](https://e.com)") == '<p><a href="https://e.com" rel="noopener noreferrer nofollow">a</a></p>\n'
    assert render("[a](javascript:x)") == '<p><span title="javascript:x">a</span></p>\n'
    assert render("[a](src/a.py)") == '<p><span title="src/a.py">a</span></p>\n'
    assert "<a" not in render("[a](data:text/html,x) [b](vbscript:x) [c](//e.com) <file:///etc/passwd>")


class Pages:
    """Everything in angle quotes is a page, and one of them is missing."""

    def resolve_link(self, written: str) -> Pointer | None:
        return Pointer("", f"/pages/{written}") if written.endswith(".md") else None

    def parts(self, text: str) -> Iterator[str | Pointer]:
        for index, part in enumerate(re.split("[«»]", text)):
            missing = "" if part != "gone" else 'There is no "gone".'
            yield Pointer(part, "" if missing else "/page/", missing) if index % 2 else part


def test_pointers_lead_to_pages_of_ours() -> None:
    assert render("see «a_b_c» & [it](b.md)", Pages()) == (
        '<p>see <a href="/page/" rel="noopener noreferrer nofollow">a_b_c</a> &amp; '
        '<a href="/pages/b.md" rel="noopener noreferrer nofollow">it</a></p>\n'
    )
    assert render("see «a»") == "<p>see «a»</p>"


def test_a_pointer_to_nothing_is_marked_and_leads_nowhere() -> None:
    assert render("*«gone»*", Pages()) == (
        '<p><em><span class="dangling" title="There is no &quot;gone&quot;.">gone</span></em></p>\n'
    )


def test_code_and_links_hold_no_pointers_and_labels_no_markup() -> None:
    assert "<a" not in render("`«a»`\n\n```\n«a»\n```\n", Pages())
    assert render("[«a»](https://example.org/)", Pages()).count("<a") == 1
    assert "<b>" not in render("«<b>bold</b>»", Pages())
    assert "javascript:" not in re.sub("title=.[^>]*", "", render("[a](javascript:x)", Pages()))


def test_images_become_links_and_load_nothing() -> None:
    html = render("![logo](https://e.com/x.png) ![y](x.png) [![z](http://e.com/z.png)](http://e.com)")
    assert "<img" not in html
    assert '<a href="https://e.com/x.png" rel="noopener noreferrer nofollow">image: logo</a>' in html
    assert "<span>image: y</span>" in html


def test_headings_stand_below_those_of_the_page() -> None:
    assert render("# One\n\n## Two\n\nThree\n===\n\n##### Five") == (
        "<h3>One</h3>\n<h4>Two</h4>\n<h3>Three</h3>\n<h6>Five</h6>\n"
    )


def test_task_boxes_are_characters() -> None:
    assert render("- [ ] a\n- [x] b") == "<ul>\n<li>☐ a</li>\n<li>☑ b</li>\n</ul>\n"


def test_code_is_coloured_by_class() -> None:
    assert render("```py\ndef f(): pass\n```") == (
        '<pre><code><i class="k">def </i><i class="f">f</i>(): <i class="k">pass\n</i></code></pre>\n'
    )


def test_code_of_no_known_language_or_too_long_is_plain() -> None:
    assert render("```klingon\n<x>\n```") == "<pre><code>&lt;x&gt;\n</code></pre>\n"
    assert "<i" not in render("```python\n" + "x = 1\n" * 5_000 + "```")


def test_what_cannot_be_seen_is_spelled_out() -> None:
    assert (
        spell_invisible("a\x00b\x1b\x7f\u202e\u200b\ud800\U000e0041\n\t") == "a␀b␛␡⟨U+202E⟩⟨U+200B⟩\ufffd⟨U+E0041⟩\n\t"
    )
    assert spell_invisible("שלום 👩‍💻 é") == "שלום 👩‍💻 é"


def test_the_result_is_safe_for_templates() -> None:
    assert render("a & b").__html__() == "<p>a &amp; b</p>\n"


@given(st.text(max_size=300) | st.text(alphabet="*_`[]()<>!#-|~\\ \nab1.:&", max_size=300))
def test_any_text_gives_only_known_elements(text: str) -> None:
    html = render(text)
    assert all(ALLOWED.fullmatch(name) for name in re.findall(r"</?([a-zA-Z0-9]+)", html))
    assert not re.search(r"<[^>]*\b(on\w+|style|src)=", html)
    html.encode()


@pytest.mark.parametrize(
    "bomb",
    [
        "*a ",
        "[",
        "[a](",
        "`",
        "<",
        "<a ",
        "> ",
        "- ",
        "_a_",
        "![",
        "|a",
        "~~a",
        "&",
        "\\",
        "1. ",
        "# ",
        "\n",
        "**a",
        "a](b ",
    ],
)
def test_hostile_text_is_rendered_before_anybody_gives_up(bomb: str) -> None:
    assert render(bomb * (60_000 // len(bomb))) is not None


def test_deeply_nested_markdown_is_rendered_in_time() -> None:
    assert render(">" * 5_000 + " x")
    assert render("".join("  " * depth + "- a\n" for depth in range(300)))


def test_very_long_text_is_bounded() -> None:
    assert len(render("word " * MAX_PROSE)) <= MAX_PROSE + 20
