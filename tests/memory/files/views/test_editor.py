"""Editing on the pages: header as a form, index line in step, preview, and somebody else's change meanwhile."""

from __future__ import annotations

import pytest

from memory.files.engine.reading import parse_file
from tests.memory.browsing import Person, flat, topic

pytestmark = pytest.mark.django_db


def test_what_is_not_changed_in_the_form_keeps_its_bytes(person: Person) -> None:
    crlf = (
        b"\xef\xbb\xbf---\r\nname:   'tides'\r\nextra: x\r\ndescription: When\r\n---\r\n\r\nTwice.\r\nA \xff byte.\r\n"
    )
    person.shelf.outside("tides.md", crlf)
    fields = person.form("edit/", name="tides.md")
    person.done("edit/", **fields | {"description": "When: they come"})
    assert person.shelf.read("tides.md") == crlf.replace(
        b"description: When\r\n", b'description: "When: they come"\r\n'
    )


def test_the_line_of_the_index_is_kept_in_step_and_all_is_undone_as_one(person: Person) -> None:
    before = person.shelf.all()
    fields = person.form("edit/", name="tides.md")
    assert (fields["entry_title"], fields["hook"], fields["listed"]) == ("Tides", "when they come", "1")
    batch = person.done("edit/", **fields | {"text": "Thrice.", "hook": "how often", "type": "user"})
    assert parse_file("tides.md", person.shelf.read("tides.md")).type == "user"
    assert b"- [Tides](tides.md) \xe2\x80\x94 how often\n" in person.shelf.read("MEMORY.md")
    person.undo(batch)
    assert person.shelf.all() == before


def test_a_header_that_tells_when_it_was_modified_tells_the_save(person: Person) -> None:
    old = b"---\nname: x\nmodified: 2020-01-01T00:00:00.000Z\n---\n\nOne.\n\nTwo.\n"
    person.shelf.outside("x.md", old)
    fields = person.form("edit/", name="x.md")
    theirs = person.post("edit/", **fields)
    assert "Nothing would change" in flat(theirs.content.decode())
    person.done("edit/", **fields | {"text": "Three.\n\nTwo.\n"})
    assert b"2020-01-01" not in person.shelf.read("x.md")
    clash = person.post("edit/", **fields | {"text": "One.\n\nFour.\n"})
    assert "both changes fit together" in flat(clash.content.decode())


def test_a_topic_can_be_left_out_of_the_index_and_a_new_one_gets_a_line(person: Person) -> None:
    fields = {"name": "harbour", "form": "fields", "title": "Harbour", "description": "Who", "type": "user"}
    fields |= {"text": "Call.", "listed": "1", "entry_title": "Harbour", "hook": "whom to call"}
    person.done("new/", **fields)
    assert person.shelf.read("harbour.md") == (
        b"---\nname: Harbour\ndescription: Who\nmetadata:\n  type: user\n---\n\nCall.\n"
    )
    assert person.shelf.read("MEMORY.md").endswith("- [Harbour](harbour.md) — whom to call\n".encode())
    index = person.shelf.read("MEMORY.md")
    person.done("new/", **{**fields, "name": "quiet.md", "listed": ""})
    assert person.shelf.read("MEMORY.md") == index


def test_a_new_topic_takes_no_name_that_is_taken_or_leads_out(person: Person) -> None:
    fields = {"form": "fields", "title": "x", "text": "x", "listed": "1"}
    for name, sentence in (
        ("tides.md", "tides.md is already there"),
        ("../out", "leads out"),
        ("", "Give the file a name"),
    ):
        response = person.post("new/", name=name, **fields)
        assert response.status_code == 422
        assert sentence in flat(response.content.decode())
        assert "<textarea" in response.content.decode()
    assert len(person.shelf.all()) == 4


def test_the_preview_shows_what_would_be_written_and_writes_nothing(person: Person) -> None:
    before = person.shelf.all()
    fields = person.form("edit/", name="tides.md")
    html = person.post(
        "preview/", **fields | {"text": "**Bold** <script>x</script>", "hook": "h" * 200}
    ).content.decode()
    assert html.strip().startswith('<section id="preview"')
    assert "<strong>Bold</strong> &lt;script&gt;" in html
    assert "longer than the agent is advised" in html
    index = person.form("edit/", name="MEMORY.md")
    html = person.post("preview/", **index | {"text": "- x\n" * 230}).content.decode()
    assert "200 of 230 lines" in flat(html)
    assert "The agent gets nothing from here on" in html
    assert person.shelf.all() == before


def test_changes_of_two_that_fit_together_are_merged_at_a_press(person: Person) -> None:
    fields = person.form("edit/", name="tides.md", form="whole")
    theirs = person.shelf.read("tides.md").replace(b"When they come", b"Of the tides")
    person.shelf.outside("tides.md", theirs)
    response = person.post("edit/", **fields | {"text": fields["text"].replace("Twice a day.", "Thrice a day.")})
    html = response.content.decode()
    assert response.status_code == 409
    assert "both changes fit together" in flat(html)
    assert person.shelf.read("tides.md") == theirs
    person.done("edit/", **_fields_of(html))
    assert person.shelf.read("tides.md") == theirs.replace(b"Twice a day.", b"Thrice a day.")


def test_where_two_changed_the_same_line_somebody_has_to_choose(person: Person) -> None:
    fields = person.form("edit/", name="tides.md", form="whole")
    person.shelf.outside("tides.md", person.shelf.read("tides.md").replace(b"Twice a day.", b"Often."))
    mine = fields | {"text": fields["text"].replace("Twice a day.", "Thrice a day.")}
    html = person.post("edit/", **mine).content.decode()
    assert "1 place where both changed the same" in flat(html)
    sent = _fields_of(html)
    response = person.post("edit/", **sent)
    assert (response.status_code, "Choose for every place." in response.content.decode()) == (409, True)
    editing = person.post("edit/", **sent | {"choice-0-0": "both", "then": "edit"}).content.decode()
    assert "Thrice a day.\nOften." in editing
    person.done("edit/", **sent | {"choice-0-0": "both"})
    assert b"Thrice a day.\nOften.\n" in person.shelf.read("tides.md")


def test_a_third_change_during_the_merge_is_not_written_over_either(person: Person) -> None:
    fields = person.form("edit/", name="tides.md", form="whole")
    person.shelf.outside("tides.md", b"second\n")
    sent = _fields_of(person.post("edit/", **fields | {"text": "mine\n"}).content.decode())
    person.shelf.outside("tides.md", b"third\n")
    response = person.post("edit/", **sent | {"choice-0-0": "ours"})
    assert response.status_code == 409
    assert person.shelf.read("tides.md") == b"third\n"


def test_a_file_that_was_deleted_meanwhile_can_be_written_anew_or_left(person: Person) -> None:
    fields = person.form("edit/", name="fog.md", form="whole") | {"listed": ""}
    (person.shelf.path / "fog.md").unlink()
    sent = _fields_of(person.post("edit/", **fields | {"text": "Stay.\n"}).content.decode())
    assert person.post("edit/", **sent | {"side-0": "theirs"}).status_code == 302
    assert "fog.md" not in person.shelf.all()
    person.done("edit/", **sent | {"side-0": "ours"})
    assert person.shelf.read("fog.md") == b"Stay.\n"


def test_secrets_are_masked_on_pages_and_whole_in_the_editor(person: Person) -> None:
    secret = "ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0"
    person.shelf.outside("token.md", topic("token", f"It is {secret}", f"The token: {secret}"))
    for rest, query in (
        ("", {}),
        ("file/", {"name": "token.md"}),
        ("findings/", {}),
        ("history/", {"name": "token.md"}),
        ("prune/", {"name": "token.md"}),
    ):
        assert secret not in person.page(rest, **query), rest
    assert secret not in person.client.get("/memory/search/?q=token").content.decode()
    assert secret in person.page("edit/", name="token.md")


def _fields_of(html: str) -> dict[str, str]:
    """What the form of a merge sends, no choice made."""
    person = object.__new__(Person)
    person.page = lambda *_, **__: html  # type: ignore[method-assign]
    return {name: value for name, value in person.form("").items() if not name.startswith(("choice-", "side-"))}
