"""History on the pages: versions with diffs, authors of lines, restores, undo with a merge, and the way back."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from memory.files.services.writing import memory_write
from memory.models import Batch, Version
from tests.memory.browsing import Person, flat

pytestmark = pytest.mark.django_db


def versions(name: str) -> list[int]:
    return list(Version.objects.filter(name=name).order_by("pk").values_list("pk", flat=True))


def test_each_version_has_its_diff_and_each_line_its_author(person: Person) -> None:
    person.shelf.write("fog.md", person.shelf.read("fog.md") + b"Ring the bell.\n")
    memory_write(
        directory=person.shelf.directory,
        name="fog.md",
        content=person.shelf.read("fog.md") + b"Every minute.\n",
        expected=person.shelf.digest("fog.md"),
        run_id=77,
    )
    html = person.page("history/", name="fog.md")
    assert html.count("<ins>Every minute.") == 1
    assert html.count('action="/memory/') >= 2
    blame = person.page(f"versions/{versions('fog.md')[-1]}/")
    words = flat(blame)
    assert (
        words.index("first seen") < words.index("Stay in.") < words.index("edited here") < words.index("Ring the bell")
    )
    assert '<a href="/runs/77/">run 77</a>' in blame


def restore(person: Person, name: str, number: int = 0) -> None:
    """Presses the button at one of the versions of a file, on its page of history."""
    html = person.page("history/", name=name)
    current = re.search(r'name="current" value="(\d+)"', html)
    assert current is not None
    person.done(f"versions/{versions(name)[number]}/restore/", current=current[1])


def test_any_version_can_be_restored_also_of_a_deleted_file(person: Person) -> None:
    first = person.shelf.read("fog.md")
    person.shelf.write("fog.md", "Never mind.\n")
    restore(person, "fog.md")
    assert person.shelf.read("fog.md") == first
    person.shelf.delete("fog.md")
    restore(person, "fog.md")
    assert person.shelf.read("fog.md") == first


def test_a_restore_is_refused_when_the_file_has_changed_since_the_page(person: Person) -> None:
    person.shelf.write("fog.md", "Never mind.\n")
    current = versions("fog.md")[-1]
    person.shelf.outside("fog.md", b"By somebody else.\n")
    response = person.post(f"versions/{versions('fog.md')[0]}/restore/", current=str(current))
    assert (response.status_code, person.shelf.read("fog.md")) == (409, b"By somebody else.\n")
    assert "look at its history again" in flat(response.content.decode())


def test_an_undo_after_further_changes_asks_for_each_place(person: Person) -> None:
    batch = person.shelf.write("fog.md", person.shelf.read("fog.md").replace(b"Stay in.", b"Go out."))
    person.shelf.outside("fog.md", person.shelf.read("fog.md").replace(b"Go out.", b"Go out at noon."))
    response = person.post(f"changes/{batch.pk}/undo/")
    html = response.content.decode()
    assert response.status_code == 409
    assert "was changed after change" in flat(html)
    key = Version.objects.get(batch=batch).pk
    sent = {"merging": "1", f"seen-{key}": person.shelf.digest("fog.md")}
    assert person.post(f"changes/{batch.pk}/undo/", **sent).status_code == 409
    person.done(f"changes/{batch.pk}/undo/", **sent, **{f"choice-{key}-0": "ours"})
    assert b"Stay in." in person.shelf.read("fog.md")


def test_the_directory_goes_back_to_any_change_even_when_it_was_deleted(person: Person) -> None:
    before, batch = person.shelf.all(), Batch.objects.latest("pk")
    for name in before:
        (person.shelf.path / name).unlink()
    person.shelf.path.rmdir()
    assert "is gone" in flat(person.page())
    assert "directory is gone" in Client().get("/memory/").content.decode()
    person.page("history/")
    person.shelf.scan()
    person.done(f"changes/{batch.pk}/back/")
    assert person.shelf.all() == before


def test_numbers_that_are_none_are_not_found(person: Person) -> None:
    for rest in ("versions/999/", "changes/999/"):
        person.refused(rest, 404)
    assert person.client.get("/memory/999/").status_code == 404
    person.refused("history/", 404, name="never.md")


def test_a_run_is_undone_as_a_whole(person: Person) -> None:
    before = person.shelf.all()
    for text in ("One.\n", "Two.\n"):
        for name in ("fog.md", "new.md"):
            memory_write(
                directory=person.shelf.directory, name=name, content=text, expected=person.shelf.digest(name), run_id=78
            )
    assert "Undo all of it" in flat(person.client.get("/memory/runs/78/").content.decode())
    assert person.client.post("/memory/runs/78/undo/").status_code == 303
    assert person.shelf.all() == before
    assert "All of it is undone" in flat(person.client.get("/memory/runs/78/").content.decode())
    assert person.client.get("/memory/runs/79/").status_code == 404
