"""A crawl of every page over sessions and memory full of characters that nobody sees: none of them arrives as it is."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from sessions.imports.services.sync import sync
from tests.memory.remembering import Shelf
from tests.sessions.crawling import crawl
from tests.sessions.hostile import UNSEEN, everywhere, save_with_family

pytestmark = pytest.mark.django_db(transaction=True)

TOPIC = f"---\nname: {UNSEEN}\ndescription: {UNSEEN}\ntype: {UNSEEN}\n---\n\n# {UNSEEN}\n\n- {UNSEEN}\n"


@pytest.fixture
def project(tmp_path: Path, settings: Any) -> Path:
    settings.CLAUDE_CONFIG_DIR = tmp_path / "config"
    folder = tmp_path / "config" / "projects" / "-home-dev-tidewatch"
    (folder / "memory").mkdir(parents=True)
    return folder


@pytest.mark.long
def test_no_page_holds_characters_that_nobody_sees(client: Client, project: Path) -> None:
    writing = everywhere(UNSEEN)
    save_with_family(writing, project, UNSEEN, "spilled.txt")
    memory = project / "memory"
    (memory / "tides.md").write_text(TOPIC)
    (memory / "fog.md").write_text(f"{UNSEEN}\n")
    (memory / f"{UNSEEN}.md").write_text(f"{UNSEEN}\n")
    (memory / "MEMORY.md").write_text(f"# {UNSEEN}\n\n- [{UNSEEN}](tides.md) — {UNSEEN}\n- [x]({UNSEEN}.md)\n")
    assert sync([project.parents[1]]).failed == []
    shelf = Shelf(project / "memory")
    shelf.scan()

    session, request = f"/sessions/{writing.session}/", quote(UNSEEN)
    pages = ["/", "/odd/", "/retention/", "/sessions/", "/memory/", "/cache/", "/cache/breaks.csv", "/settings/"]
    pages += [
        f"{session}{part}" for part in ("", "?all=1", "agents/", "compact/", f"find/?q={request}", "live/?after=0")
    ]
    pages += [f"{session}export/{form}/" for form in ("html", "md")]
    pages += [f"/sessions/?{name}={request}" for name in ("text", "branch", "model", "sort", "project")]
    pages += [f"/search/?q={request}", f"/memory/search/?q={request}", f"/palette/?q={request}"]
    seen = crawl(client, pages)

    assert sum(status == 200 for status in seen.values()) > 200
    assert any(address.startswith("/memory/") and "/edit/" in address for address in seen)


def test_a_memory_file_full_of_them_is_saved_as_it_was(client: Client, project: Path) -> None:
    path = project / "memory" / "tides.md"
    path.write_text(TOPIC)
    shelf = Shelf(project / "memory")
    shelf.scan()
    address = f"/memory/{shelf.directory.pk}/edit/?name=tides.md&form=whole"
    page = client.get(address).content.decode()
    output = re.search(r'<textarea id="text"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    expected = re.search(r'name="expected" value="([^"]*)"', page)
    assert output
    assert expected
    assert "\u202e" not in page

    text = html.unescape(output[1])
    typed = {"name": "tides.md", "form": "whole", "expected": expected[1], "text": f"{text}One line more.\n"}
    answer = client.post(f"/memory/{shelf.directory.pk}/edit/", typed)

    assert answer.status_code == 303, answer.content.decode()
    assert path.read_text() == f"{TOPIC}One line more.\n"
