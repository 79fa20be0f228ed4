from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from inspector.docs.selectors import document, documents

NAMES = [item.name for item in documents()]


class Page(HTMLParser):
    def __init__(self, client: Client, address: str) -> None:
        super().__init__()
        response = client.get(address)
        assert response.status_code == 200
        self.html = response.content.decode()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.styles = 0
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.links += [values["href"] or ""] if tag == "a" else []
        self.pictures += [values.get("src") or values.get("srcset") or ""] if tag in ("img", "source") else []
        self.styles += "style" in values


@pytest.fixture
def bare(tmp_path: Path, settings: LazySettings) -> Path:
    """Documents of our own making."""
    folder = tmp_path / "docs"
    (folder / "screenshots").mkdir(parents=True)
    (folder / "adr").mkdir()
    settings.DOCS_DIR = folder
    return folder


def anchors(name: str) -> set[str]:
    result = document(name)
    assert result, f"there is no document {name}"
    return {heading.anchor for heading in result.headings}


@pytest.mark.parametrize("name", NAMES)
def test_links_of_a_document_lead_to_pages_and_headings_that_exist(client: Client, name: str) -> None:
    page = Page(client, f"/docs/{name}/")
    assert f'<h1 id="{page.ids[page.ids.index("main") + 1]}"' in page.html
    for link in page.links:
        if link.startswith("#") and link != "#main":
            assert link[1:] in page.ids, link
        elif link.startswith("/docs/") and link != "/docs/":
            other, _, anchor = link.removeprefix("/docs/").partition("/#")
            assert not anchor or anchor in anchors(other), link
            assert other.removesuffix("/") in NAMES, link
        else:
            assert not link.endswith(".md"), link


@pytest.mark.parametrize("name", NAMES)
def test_a_document_has_no_inline_style_no_markup_as_text_and_no_id_twice(client: Client, name: str) -> None:
    page = Page(client, f"/docs/{name}/")
    assert page.styles == 0
    assert "&lt;picture" not in page.html
    assert len(page.ids) == len(set(page.ids))


@pytest.mark.parametrize("name", NAMES)
def test_screenshots_of_a_document_are_there(client: Client, name: str) -> None:
    for picture in Page(client, f"/docs/{name}/").pictures:
        response = client.get(picture)
        assert response.status_code == 200, picture
        assert response["Content-Type"] == "image/png"
        assert response.content.startswith(b"\x89PNG")


def test_every_document_is_listed_with_a_line(client: Client) -> None:
    page = Page(client, "/docs/")
    assert {f"/docs/{name}/" for name in NAMES} <= set(page.links)
    assert [item.name for item in documents() if not item.about and not item.is_decision] == []
    assert len(NAMES) > 12


def test_headings_have_the_anchors_of_github(client: Client) -> None:
    page = Page(client, "/docs/memory/")
    assert {"session-notes", "the-claudemd-chain", "history-and-undo"} <= set(page.ids)
    assert "#session-notes" in page.links
    assert "print-the-tides" not in page.ids
    assert "/docs/memory/#session-notes" in Page(client, "/docs/compaction/").links


def test_tables_and_code_are_rendered(client: Client) -> None:
    html = Page(client, "/docs/engine/").html
    assert "<table>" in html
    assert re.search(r'<code class="language-python">[^<]*<i class="k">', html)


@pytest.mark.parametrize(
    "name",
    ["README", "nothing", "../README", "..%2FREADME", "adr", "adr/../cache", "./cache", "cache.md", "%00", "a\\b"],
)
def test_only_names_of_documents_lead_anywhere(client: Client, name: str) -> None:
    assert client.get(f"/docs/{name}/").status_code == 404


@pytest.mark.parametrize("name", ["nothing.png", "..%2Fcache.md", "..", "%2Fetc%2Fpasswd", "timeline-light"])
def test_only_screenshots_are_served(client: Client, name: str) -> None:
    assert client.get(f"/docs/screenshots/{name}", follow=True).status_code == 404


def test_a_link_out_of_the_folder_of_screenshots_is_not_followed(client: Client, bare: Path) -> None:
    secret = bare.parent / "secret.png"
    secret.write_bytes(b"secret")
    (bare / "screenshots" / "linked.png").symlink_to(secret)
    (bare / "one.md").write_text("# One\n\n![linked](screenshots/linked.png) ![out](../secret.png)\n")
    page = Page(client, "/docs/one/")
    assert page.pictures == []
    assert "image: linked" in page.html
    assert client.get("/docs/screenshots/linked.png").status_code == 404


def test_links_to_what_is_no_page_are_text(client: Client, bare: Path) -> None:
    (bare / "adr" / "0001-x.md").write_text("# X\n\n[up](../one.md#there) [gone](../gone.md)\n")
    (bare / "one.md").write_text(
        "# One\n\n[x](adr/0001-x.md) [code](../memory/proposals/engine/facts/__init__.py) [out](https://example.org/a?b=1&c)\n\n"
        '[own](http://127.0.0.1:8765/captures/) <script>alert(1)</script> [s](javascript:alert)\n\n<iframe src="x">\n'
    )
    page = Page(client, "/docs/one/")
    assert {"/docs/adr/0001-x/", "https://example.org/a?b=1&c", "/captures/"} <= set(page.links)
    assert '<span title="../memory/proposals/engine/facts/__init__.py">code</span>' in page.html
    assert "<script>alert" not in page.html
    assert "<iframe" not in page.html
    assert not [link for link in page.links if link.startswith("javascript")]
    decision = Page(client, "/docs/adr/0001-x/")
    assert "/docs/one/#there" in decision.links
    assert '<span title="../gone.md">gone</span>' in decision.html


@pytest.mark.django_db
def test_without_documents_the_page_says_so_and_nothing_links_to_it(
    client: Client, tmp_path: Path, settings: LazySettings
) -> None:
    settings.DOCS_DIR = tmp_path / "nowhere"
    assert "The documents are not here" in Page(client, "/docs/").html
    assert client.get("/docs/cache/").status_code == 404
    for address in ("/", "/settings/", "/runs/", "/palette/?q=docs"):
        assert "/docs/" not in "".join(Page(client, address).links), address


@pytest.mark.django_db
def test_every_page_leads_to_the_documents(client: Client) -> None:
    assert Page(client, "/").links.count("/docs/") == 2
    assert "/docs/" in Page(client, "/palette/?q=docs").links
    assert "/docs/memory/#dreams" in Page(client, "/settings/").links
