from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from sessions.models import Oddity, Problem
from tests.sessions.made import session

pytestmark = pytest.mark.django_db

PAGES = ["/", "/sessions/", "/search/", "/search/?q=Session&deep=1", "/odd/", "/retention/", "/palette/", "/runs/"]


Found = list[tuple[str, dict[str, str | None]]]


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: Found = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def some_data() -> None:
    transcript = session(errors=1, bad_lines=1)
    Oddity.objects.create(transcript=transcript, what="type", name="x", count=1, first=0)
    Problem.objects.create(transcript=transcript, line=1, offset=0, length=1, kind="glued")


@pytest.fixture(params=PAGES)
def elements(request: pytest.FixtureRequest, client: Client, some_data: None) -> Found:
    return Elements(client.get(request.param).content.decode()).found


def test_no_page_needs_an_exception_from_the_content_policy(elements: Found) -> None:
    for tag, attributes in elements:
        assert tag != "style"
        assert tag != "script" or attributes.get("src")
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith(("on", "hx-on"))]


def test_links_that_htmx_follows_have_a_real_address(elements: Found) -> None:
    for tag, attributes in elements:
        if tag == "a" and "hx-get" in attributes:
            assert attributes["href"] == attributes["hx-get"]


def test_swaps_name_their_target_on_the_element_itself(elements: Found) -> None:
    for _, attributes in elements:
        if "hx-get" in attributes:
            assert "hx-target" in attributes
            assert "hx-swap" in attributes


def test_ids_are_unique_and_controls_have_names(elements: Found) -> None:
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    bare = [attributes for tag, attributes in elements if tag in ("input", "select") and "aria-label" not in attributes]
    assert all(attributes.get("type") in ("hidden", "checkbox", "date") for attributes in bare)


@pytest.mark.parametrize(
    ("cookie", "rendered"), [("dark", "dark"), ("light", "light"), ("system", None), ('"><b', None)]
)
def test_the_server_renders_the_chosen_theme(client: Client, cookie: str, rendered: str | None) -> None:
    client.cookies["theme"] = cookie
    html = client.get("/").content.decode()
    theme = re.search(r'<html lang="en"(?: data-theme="(\w+)")?>', html)
    assert theme is not None
    assert theme[1] == rendered


def test_the_header_links_only_to_pages_that_exist(client: Client) -> None:
    html = client.get("/").content.decode()
    top = html[html.index("<header") : html.index("</header>")]
    for href in re.findall(r'href="([^"]+)"', top):
        assert client.get(href).status_code == 200


def test_scissors_mean_snipped_and_nothing_else() -> None:
    """Where something is snipped, the table of fates has the mark; a page that draws one means something else."""
    templates = Path(__file__).resolve().parents[3] / "templates"
    assert [path.name for path in templates.rglob("*.html") if "✂" in path.read_text()] == []
