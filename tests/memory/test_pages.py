"""What the pages show of memory, what they cost, and what they say of files that are hard to show."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.models import File
from sessions.models import Project
from tests.memory.browsing import Person, flat, powerless, topic
from tests.sessions.hostile import PAYLOAD
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def test_the_list_shows_every_directory_and_its_health_beside(person: Person) -> None:
    html = Client().get("/memory/").content.decode()
    assert "-home-dev-boat" in html
    assert f'hx-get="{person.root}health/"' in html
    assert "of 100" in person.page("health/")


def test_a_project_leads_to_its_memory(person: Person) -> None:
    response = Client().get("/memory/-home-dev-boat/")
    assert (response.status_code, response.headers["Location"]) == (302, person.root)
    assert Client().get("/memory/-home-dev-nowhere/").status_code == 404


def test_the_index_stands_beside_the_topics_with_the_cut_marked(person: Person) -> None:
    lines = [f"- line {number}" for number in range(199)]
    text = "\n".join(["- [Fog](fog.md)", *lines, "- [Boat](boat.md)", ""])
    person.shelf.outside("MEMORY.md", text.encode())
    html = person.page(check="1")
    words = flat(html)
    assert "200 of 201 lines" in words
    assert words.index("line 198") < words.index("The agent gets nothing from here on") < words.index("Boat")
    assert "line 1, loaded" in words
    assert "line 201, cut" in words
    assert "not in the index" in words
    assert "WARNING: MEMORY.md is 201 lines" in flat(person.page("loaded/"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"text": "bell"}, set()),
        ({"text": "STAY"}, {"fog.md"}),
        ({"type": "feedback"}, {"fog.md"}),
        ({"state": "idle"}, {"fog.md", "tides.md", "boat.md"}),
        ({"state": "outside"}, set()),
        ({"state": "nonsense", "page": "x", "sort": "x"}, {"fog.md", "tides.md", "boat.md"}),
    ],
)
def test_topics_are_filtered_by_the_address(person: Person, query: dict[str, str], found: set[str]) -> None:
    html = person.page(**query)
    assert {name for name in ("fog.md", "tides.md", "boat.md") if f'value="{name}" aria-label' in html} == found


def test_topics_of_the_same_time_and_size_stand_in_the_order_of_their_names(person: Person) -> None:
    for name in ("c.md", "a.md", "b.md"):
        person.shelf.outside(name, topic("same", "The same", "Fact."))
        os.utime(person.shelf.path / name, ns=(10**18, 10**18))
    for sort in ("changed", "size"):
        html = person.page(sort=sort)
        places = [html.index(f'value="{name}" aria-label') for name in ("a.md", "b.md", "c.md")]
        assert places == sorted(places)


def test_a_page_of_five_thousand_files_costs_what_one_of_fifty_costs(tmp_path: Path) -> None:
    sizes, queries = [], []
    for number, count in enumerate((50, 5_000)):
        person = Person(tmp_path / "projects" / f"-p{number}" / "memory")
        named = [f"topic-{position:04}.md" for position in range(count)]
        for name in named:
            (person.shelf.path / name).write_bytes(topic(name, "About it", f"Fact of {name}."))
        File.objects.bulk_create(File(directory=person.shelf.directory, name=name, size=99) for name in named)
        index = "".join(f"- [{name}]({name}) — about it\n" for name in named)
        (person.shelf.path / "MEMORY.md").write_text(index)
        with CaptureQueriesContext(connection) as seen:
            html = person.page()
        sizes.append(len(html))
        queries.append(len(seen))
        with CaptureQueriesContext(connection) as listed:
            Client().get("/memory/")
        assert len(listed) < 8
    assert queries[0] == queries[1] < 8
    assert sizes[1] < 2 * sizes[0]


def test_links_between_topics_lead_to_their_pages(person: Person) -> None:
    text = "See [[fog]], [[Boat|the boat]], [[FOG.md]] and [tides](tides.md).\n\nNot `[[fog]]`, nor [[gone]].\n"
    person.shelf.outside("links.md", topic("links", "Where to look", text))
    page_html = re.findall(r'<a href="([^"]+)" rel[^>]*>([^<]*)</a>', person.page("file/", name="links.md"))
    to = f"{person.root}file/?name="
    assert page_html == [
        (f"{to}fog.md", "fog"),
        (f"{to}boat.md", "the boat"),
        (f"{to}fog.md", "FOG.md"),
        (f"{to}tides.md", "tides"),
    ]
    html = person.page("file/", name="links.md")
    assert '<span class="dangling" title="There is no gone.md in this directory.">gone</span>' in html
    assert "<code>[[fog]]</code>" in html


@pytest.mark.parametrize(
    "name", ["<script>x</script>", "../../etc/passwd", "javascript:alert(1)", '" onclick="x', "%2e%2e/x", "潮"]
)
def test_links_between_topics_leave_neither_the_page_nor_the_directory(person: Person, name: str) -> None:
    person.shelf.outside("汐.md", topic("other", "Other", "Text."))
    person.shelf.outside("links.md", topic("links", "Where to look", f"[[{name}]] and [a](<{name}.md>)"))
    html = person.page("file/", name="links.md")
    article = html[html.index('<div class="md">') : html.index("</article>")]
    tags = re.sub('"[^"]*"', '""', "".join(re.findall("<[^>]*>", article)))
    assert set(re.findall(r"<(\w+)", tags)) == {"div", "p", "span"}
    assert set(re.findall(r" (\w+)=", tags)) == {"class", "title"}


def test_each_part_can_be_asked_for_alone(person: Person) -> None:
    for address, target in (
        ("/memory/", "directories"),
        ("/memory/search/?q=fog", "memory-hits"),
        (f"{person.root}?check=1", "shelf"),
        (f"{person.root}?type=user", "topics"),
        (f"{person.root}file/?name=fog.md&check=1", "memory-facts"),
    ):
        response = Client().get(address, headers={"HX-Request": "true", "HX-Target": target})
        html = response.content.decode().strip()
        assert re.match(rf'<\w+ id="{target}"', html), target
        assert "<main" not in html


def test_search_finds_words_in_all_directories(person: Person, tmp_path: Path) -> None:
    other = Person(tmp_path / "projects" / "-home-dev-pier" / "memory")
    other.shelf.outside("pier.md", b"Stay off the <b>pier</b>.")
    html = Client().get("/memory/search/?q=stay").content.decode()
    assert "fog.md" in html
    assert "<mark>Stay</mark> off the &lt;b&gt;pier&lt;/b&gt;." in html
    assert "Nothing found" in flat(Client().get("/memory/search/?q=nowhere").content.decode())


def test_nothing_in_a_file_or_its_name_becomes_markup(person: Person) -> None:
    name = "a<img src=x onerror=alert(1)>\n&'\".md"
    person.shelf.outside(name, topic(PAYLOAD, PAYLOAD, PAYLOAD))
    person.shelf.outside("MEMORY.md", f"- [{PAYLOAD}](fog.md) — {PAYLOAD}\n".encode())
    person.shelf.scan()
    pages = [person.page(check="1"), person.page("loaded/"), person.page("findings/"), person.page("history/")]
    pages += [person.page(rest, name=name) for rest in ("file/", "edit/", "history/", "rename/", "prune/", "split/")]
    pages += [person.page("chain/"), Client().get("/memory/search/?q=script").content.decode()]
    for html in pages:
        main = html.partition("<main")[2]
        assert "<script" not in main.partition("</main>")[0]
        assert "<img" not in main


def test_a_file_of_ten_megabytes_is_shown_in_part_and_not_edited(person: Person) -> None:
    person.shelf.outside("MEMORY.md", b"- a line of the index\n" * 100_000)
    person.shelf.outside("large.md", topic("large", "Large", "word " * 2_000_000))
    html = person.page("file/", name="large.md")
    assert "more than the 1,000,000 that a form takes" in html
    assert len(html) < 400_000
    assert "more than the 1,000,000" in flat(person.refused("edit/", 409, name="large.md"))
    listing = person.page()
    assert "200 of 100000 lines" in flat(listing)
    assert "and 99790 more lines" in flat(listing)
    assert len(listing) < 300_000


def test_a_file_that_is_one_long_line_is_cut_in_its_history(person: Person) -> None:
    person.shelf.outside("long.md", b"a" * 3_000_000 + b" ghp_" + b"b" * 36)
    person.shelf.scan()
    version = File.objects.get(name="long.md").current_id
    for rest, query in (("history/", {"name": "long.md"}), (f"versions/{version}/", {})):
        html = person.page(rest, **query)
        assert "more characters" in html
        assert len(html) < 100_000


def test_a_binary_file_is_named_as_one(person: Person) -> None:
    person.shelf.outside("picture.md", b"\x89PNG\0\xff" * 100)
    assert "It holds no text" in flat(person.page("file/", name="picture.md"))
    assert "It holds no text" in flat(person.refused("edit/", 409, name="picture.md"))
    person.page(check="1")


def test_a_link_and_a_directory_are_not_opened(person: Person) -> None:
    os.symlink("/etc/passwd", person.shelf.path / "link.md")
    (person.shelf.path / "folder.md").mkdir()
    assert "is a link" in flat(person.page("file/", name="link.md"))
    assert "is no file" in flat(person.page("file/", name="folder.md"))
    for name in ("../x.md", "/etc/passwd", "", "a\0b"):
        person.client.get(f"{person.root}file/", {"name": name})
    assert "root:" not in person.page("findings/")


def test_a_read_only_directory_keeps_the_text_in_the_editor(person: Person) -> None:
    os.chmod(person.shelf.path, 0o555)
    try:
        with powerless():
            fields = person.form("edit/", name="fog.md")
            response = person.post("edit/", **fields | {"text": "My words."})
    finally:
        os.chmod(person.shelf.path, 0o755)
    html = response.content.decode()
    assert response.status_code == 422
    assert "fog.md may not be written or read here (permission denied). The file is as it was." in flat(html)
    assert "My words." in html
    assert b"Stay in." in person.shelf.read("fog.md")


def test_a_file_that_may_not_be_read_is_named_and_the_others_are_shown(person: Person) -> None:
    person.shelf.outside("closed.md", b"secret")
    os.chmod(person.shelf.path / "closed.md", 0)
    with powerless():
        listing = flat(person.page(check="1"))
        html = flat(person.page("file/", name="closed.md"))
        result = flat(Client().get("/memory/search/?q=stay").content.decode())
    assert "closed.md may not be written or read here (permission denied)" in listing
    assert "closed.md may not be written or read here (permission denied)" in html
    assert "closed.md may not be written or read here" in result
    assert "fog.md" in listing


def test_a_file_names_the_session_that_wrote_it_and_those_that_read_it(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-dev-boat"
    person = Person(project / "memory")
    path = "/home/dev/.claude/projects/-home-dev-boat/memory/fog.md"
    file = Written(project=project)
    file.user("Remember the fog")
    file.call("Write", "toolu_1", file_path=path, content="Stay in.\n")
    file.result("toolu_1", "done")
    file.call("Read", "toolu_2", file_path=path)
    file.result("toolu_2", "Stay in.")
    file.read()
    person.shelf.outside("fog.md", b"Stay in.\n")
    person.client.get("/memory/")
    assert person.client.post("/memory/look/").status_code == 303
    html = person.page("file/", name="fog.md")
    assert "wrote exactly this" in flat(html)
    assert html.count(f"/sessions/{file.session}/entries/") >= 3


def test_the_chain_says_what_a_compaction_loses(person: Person, tmp_path: Path) -> None:
    cwd = tmp_path / "boat"
    (cwd / "deck").mkdir(parents=True)
    (cwd / "CLAUDE.md").write_text("See @more.md and @gone.md.\n")
    (cwd / "more.md").write_text("More.\n")
    (cwd / "deck" / "CLAUDE.md").write_text("Swab it.\n")
    directory = person.shelf.directory
    directory.project = Project.objects.create(directory=str(person.shelf.path.parent), cwd=str(cwd))
    directory.save()
    words = flat(person.page("chain/"))
    assert "A compaction loses 1 of" in words
    assert (
        words.index("CLAUDE.md") < words.index("Included by") < words.index("MEMORY.md") < words.index("deck/CLAUDE.md")
    )
    assert "@gone.md. line 1 missing" in words
