from __future__ import annotations

from pathlib import Path

import pytest

from tests.layout import MOST_FILES, MOST_LINES, full_folders, long_files, troubles, unknown_templates, weak_names


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


def test_a_file_that_is_too_long_and_a_folder_that_is_too_full_are_named() -> None:
    assert list(long_files(Path("a.py"), "x\n" * MOST_LINES)) == []
    assert list(long_files(Path("a.py"), "x\n" * (MOST_LINES + 1))) == ["a.py: 401 lines, more than 400"]
    files = [Path("a/__init__.py"), *(Path(f"a/module{number}.py") for number in range(MOST_FILES))]
    assert list(full_folders(files)) == []
    assert list(full_folders([*files, Path("a/more.py")])) == ["a: 21 files, more than 20"]


def test_a_variable_whose_name_says_nothing_is_named() -> None:
    text = "found = [one for one in rows]\nrequest.asked = True\n"
    assert sorted(weak_names(Path("a.py"), text)) == [
        "a.py:1: found does not say what it holds",
        "a.py:1: one does not say what it holds",
    ]


def test_a_variable_of_a_template_whose_name_says_nothing_is_named() -> None:
    text = "{% for name, one in rows %}{{ one }}{% endfor %}\n{% include 'a.html' with found=rows key='one' %} said=1\n"
    assert list(weak_names(Path("a.html"), text)) == [
        "a.html:1: one does not say what it holds",
        "a.html:2: found does not say what it holds",
    ]
