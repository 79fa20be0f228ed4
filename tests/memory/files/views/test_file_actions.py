"""Rename, move, merge, split, prune, fixes: each is one change, with the index and links in step, and undone as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.browsing import Person, flat, topic

pytestmark = pytest.mark.django_db


def test_a_rename_takes_its_line_and_its_links_along(person: Person) -> None:
    before = person.shelf.all()
    fields = person.form("rename/", name="fog.md")
    batch = person.done("rename/", **fields | {"to": "mist"})
    assert b"- [Fog](mist.md) \xe2\x80\x94 stay in\n" in person.shelf.read("MEMORY.md")
    assert b"See [[mist]]." in person.shelf.read("tides.md")
    assert person.shelf.read("mist.md") == before["fog.md"]
    person.undo(batch)
    assert person.shelf.all() == before


def test_a_move_between_directories_takes_its_line_along(person: Person, tmp_path: Path) -> None:
    other = Person(tmp_path / "projects" / "-home-dev-pier" / "memory")
    here = person.shelf.all()
    fields = person.form("move/", name="boat.md")
    batch = person.done("move/", **fields | {"into": str(other.shelf.directory.pk)})
    assert other.shelf.all() == {"boat.md": here["boat.md"], "MEMORY.md": b"- [Boat](boat.md)\n"}
    assert b"boat.md" not in person.shelf.read("MEMORY.md")
    person.undo(batch)
    assert (person.shelf.all(), other.shelf.all()) == (here, {})


def test_two_topics_are_merged_into_one_that_everything_points_to(person: Person) -> None:
    before = person.shelf.all()
    assert "fog.md" in person.page("merge/", name="boat.md")
    fields = person.form("merge/", name="boat.md", other="fog.md")
    assert fields["text"].endswith("It is small.\r\n\r\nStay in.\r\n")
    batch = person.done("merge/", **fields)
    assert person.shelf.read("boat.md").endswith(b"It is small.\n\nStay in.\n")
    assert "fog.md" not in person.shelf.all()
    assert b"fog" not in person.shelf.read("MEMORY.md")
    assert b"[[boat]]" in person.shelf.read("tides.md")
    person.undo(batch)
    assert person.shelf.all() == before


def test_a_topic_is_split_at_a_line(person: Person) -> None:
    before = person.shelf.all()
    fields = person.form("split/", name="tides.md") | {"to": "more", "title": "More", "description": "The rest"}
    assert "Choose the line" in flat(person.post("split/", **fields | {"line": "8"}).content.decode())
    batch = person.done("split/", **fields | {"line": "10"})
    assert person.shelf.read("tides.md") == before["tides.md"].replace(b"\n\nSee [[fog]].\n", b"\n")
    assert person.shelf.read("more.md") == topic("More", "The rest", "See [[fog]].")
    assert person.shelf.read("MEMORY.md").endswith("- [More](more.md) — The rest\n".encode())
    person.undo(batch)
    assert person.shelf.all() == before


def test_a_line_that_no_computer_can_count_is_not_a_line(person: Person) -> None:
    before = person.shelf.all()
    fields = person.form("split/", name="tides.md") | {"to": "more", "title": "More", "description": "The rest"}
    assert "Choose the line" in flat(person.post("split/", **fields | {"line": "1" * 4_400}).content.decode())
    assert person.post("move/", **person.form("move/", name="tides.md") | {"into": "1" * 4_400}).status_code < 500
    assert person.shelf.all() == before


def test_pruning_shows_what_the_index_becomes_then_deletes_and_restores(person: Person) -> None:
    before = person.shelf.all()
    html = person.client.get(f"{person.root}prune/?name=fog.md&name=boat.md").content.decode()
    assert "5 → 3 lines" in flat(html)
    assert "<del>- [Fog](fog.md) — stay in</del>" in html
    assert "Links to them would lead nowhere in tides.md" in flat(html)
    assert person.shelf.all() == before
    digests = [person.shelf.digest("fog.md"), person.shelf.digest("boat.md")]
    batch = person.done("prune/", name=["fog.md", "boat.md"], expected=digests)
    assert person.shelf.read("MEMORY.md") == "# Memory\n\n- [Tides](tides.md) — when they come\n".encode()
    history = person.page("history/")
    assert history.count("/restore/") == 2
    person.undo(batch)
    assert person.shelf.all() == before


def test_pruning_stops_where_a_file_has_changed_meanwhile(person: Person) -> None:
    digest = person.shelf.digest("fog.md")
    person.shelf.outside("fog.md", b"new words\n")
    response = person.post("prune/", name=["fog.md"], expected=[digest])
    assert (response.status_code, person.shelf.read("fog.md")) == (422, b"new words\n")
    assert "This is how it is now." in flat(response.content.decode())


def test_a_finding_is_put_right_by_its_button_and_undone(person: Person) -> None:
    person.shelf.outside("MEMORY.md", b"- [Gone](gone.md)\n- [Fog](fog.md)\n- [Boat](boat.md)\n- [Tides](tides.md)\n")
    before = person.shelf.all()
    html = person.page("findings/", rule="dangling-pointer")
    assert "points to gone.md, which is not there" in flat(html)
    fields = person.form("findings/", rule="dangling-pointer")
    batch = person.done("fix/", **fields)
    assert person.shelf.read("MEMORY.md") == b"- [Fog](fog.md)\n- [Boat](boat.md)\n- [Tides](tides.md)\n"
    second = person.post("fix/", **fields)
    assert (second.status_code, "no longer found" in second.content.decode()) == (409, True)
    person.undo(batch)
    assert person.shelf.all() == before
