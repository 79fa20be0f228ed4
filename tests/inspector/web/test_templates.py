"""What is sent of a template's white space."""

from __future__ import annotations

from pathlib import Path

from django.template import Engine


def render(folder: Path, text: str) -> str:
    (folder / "page.html").write_text(text)
    engine = Engine(dirs=[str(folder)], loaders=["inspector.web.templates.Loader"])
    return engine.render_to_string("page.html", {"text": "one\n    two", "yes": True})


def test_a_page_is_sent_without_the_indentation_of_its_template(tmp_path: Path) -> None:
    page = render(tmp_path, "<ul>\n  {% if yes %}\n    <li\n      class='a'\n    >x</li>\n  {% endif %}\n</ul>\n")

    assert page == "<ul>\n\n<li\nclass='a'\n>x</li>\n\n</ul>\n"


def test_what_a_template_is_given_keeps_its_indentation(tmp_path: Path) -> None:
    assert render(tmp_path, "<pre>{{ text }}</pre>\n") == "<pre>one\n    two</pre>\n"


def test_the_pages_of_lucid_are_sent_without_indentation() -> None:
    page = Engine.get_default().get_template("400.html")

    assert "\n  " not in str(page.source)
