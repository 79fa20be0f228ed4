from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from compaction.kinds.engine.specs import KINDS
from inspector.docs.selectors import document

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
MARK = re.compile(r'{% help_link "([^"]+)" "([^"]+)" %}')
NAMED = re.compile(r'{% with known="([^"]+)" %}.*?({% help_link known "[^"]+" %})', re.DOTALL)
"""A place that is too long for the line of its mark has a name."""


def places() -> list[tuple[str, str]]:
    """Where the marks of the templates lead, with the template."""
    texts = [(str(path.relative_to(ROOT)), path.read_text()) for path in TEMPLATES]
    marks = [(name, place) for name, text in texts for place, _ in (*MARK.findall(text), *NAMED.findall(text))]
    return [*marks, *(("templates/compaction/kinds/compact.html", f"compaction#{kind}") for kind in KINDS)]


@pytest.mark.parametrize(("template", "place"), places())
def test_what_a_page_links_to_is_a_heading_of_a_document(template: str, place: str) -> None:
    name, _, anchor = place.partition("#")
    result = document(name)
    assert result, f"{template}: there is no {name}.md"
    anchors = {heading.anchor for heading in result.headings}
    assert not anchor or anchor in anchors, f"{template}: {name}.md has no heading #{anchor}"


def test_every_mark_is_seen_by_the_test_above() -> None:
    """A place that is put together on the page would escape it; there is one, of which all kinds are looked at."""
    written = sum(path.read_text().count("{% help_link ") for path in TEMPLATES)
    assert written == len(places()) - len(KINDS) + 1


def test_a_page_has_no_two_marks_for_the_same_place() -> None:
    for path in TEMPLATES:
        matches = [place for place, _ in MARK.findall(path.read_text())]
        assert len(matches) == len(set(matches)), path


@pytest.mark.django_db
def test_the_mark_of_an_explanation_says_what_is_explained(client: Client) -> None:
    words = "Explained: all settings, the home and the logs"
    mark = f'<a class="explained" href="/docs/configuration/" title="{words}" aria-label="{words}">?</a>'
    assert mark in client.get("/settings/").content.decode()
