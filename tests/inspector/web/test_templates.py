"""What is sent of a template's white space."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.template import Engine

from inspector.web.templates import compact


def test_a_page_is_sent_without_the_layout_of_its_template(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<ul>\n  {% if yes %}\n    <li\n      class='a'\n    >x</li>\n  {% endif %}\n</ul>\n"
    )
    engine = Engine(dirs=[str(tmp_path)], loaders=["inspector.web.templates.Loader"])

    assert engine.render_to_string("page.html", {"yes": True}) == "<ul><li class='a'>x</li></ul>"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("<b>one</b>\n  <i>two</i>", "<b>one</b>\n<i>two</i>"),
        ("one\n  two", "one\ntwo"),
        ("<b\n  >one</b\n  ><i>two</i>", "<b>one</b><i>two</i>"),
        ('<a\n  href="{% url "x" %}"\n  title="a  > b"\n>', '<a href="{% url "x" %}" title="a  > b">'),
        ("<li {% if last > first %}class='a'{% endif %}>", "<li{% if last > first %} class='a'{% endif %}>"),
        (
            '<a\n  {% if a %}\n    x="1"\n  {% else %}\n    y="2"\n  {% endif %}\n>',
            '<a{% if a %} x="1"{% else %} y="2"{% endif %}>',
        ),
        ("<pre>{{ text }}\n{% endfor %}</pre>", "<pre>{{ text }}\n{% endfor %}</pre>"),
    ],
)
def test_white_space_that_may_show_stays(written: str, sent: str) -> None:
    assert compact(written) == sent


def test_the_pages_of_lucid_are_sent_without_indentation() -> None:
    page = Engine.get_default().get_template("400.html")

    assert "\n  " not in str(page.source)
