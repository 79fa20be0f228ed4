from __future__ import annotations

from pathlib import Path

import pytest

from tests.layout import troubles, unknown_templates


@pytest.mark.parametrize(
    ("name", "text", "trouble"),
    [
        ("page.html", "<p>\n" + "x" * 121, "page.html:2: 121 characters, more than 120"),
        ("lucid.js", "y" * 121, "lucid.js:1: 121 characters, more than 120"),
        ("a.css", "p {\n  color: red; margin: 0;\n}\n", "a.css:2: more than one declaration"),
        ("a.css", "p { color: red; }\n", "a.css:1: more than one declaration"),
        ("a.css", ".some_name {\n  color: red;\n}\n", "a.css:1: classes are named with hyphens"),
        ("a_b.css", "p {\n  color: red;\n}\n", "a_b.css: stylesheets are named with hyphens"),
    ],
)
def test_what_is_laid_out_badly_is_named_with_its_line(name: str, text: str, trouble: str) -> None:
    assert list(troubles(Path(name), text)) == [trouble]


def test_one_declaration_a_line_within_the_width_is_fine() -> None:
    text = "/* a: b; c: d; */\n.a-b,\n.c:hover {\n  color: red;\n  margin: 0;\n}\n"
    assert list(troubles(Path("a-b.css"), text)) == []


def test_a_template_that_is_not_there_is_named_with_the_line_that_asks_for_it() -> None:
    text = "{% extends \"base.html\" %}\n{% include '_absent.html' with a=b %}\n"
    assert list(unknown_templates(Path("page.html"), text)) == ["page.html:2: there is no template _absent.html"]
    text = 'render(request, f"sessions/timeline/session.html{part}")\nrender(request, "absent/page.html#rows")\n'
    assert list(unknown_templates(Path("views.py"), text)) == ["views.py:2: there is no template absent/page.html"]
