"""Which session wrote a memory, and which read it or were given it, from the archive's own records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.files.services.scanning import memory_follow
from memory.history.selectors.history import file_get
from memory.history.selectors.provenance import touches_of, uses_of, version_origin
from memory.history.services.touch_index import touches_index
from memory.models import Touch, Version
from sessions.imports.services.sync import sync
from tests.memory.remembering import Shelf
from tests.sessions.writing import Writing, append

pytestmark = pytest.mark.django_db
SLUG = "-home-dev-tidewatch"
FOLDER = f"/home/dev/.claude/projects/{SLUG}/memory"


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    return tmp_path / "projects"


@pytest.fixture
def shelf(projects: Path) -> Shelf:
    return Shelf(projects / SLUG / "memory")


def saved(projects: Path, talk: Writing) -> Path:
    return talk.save(projects / SLUG)


def write(talk: Writing, tool: str, name: str, content: str, *, error: bool = False) -> str:
    uuid = talk.call("Write", tool, file_path=f"{FOLDER}/{name}", content=content)
    talk.result(tool, "done", error=error)
    return uuid


def test_a_version_is_linked_to_the_write_that_made_it(projects: Path, shelf: Shelf) -> None:
    talk = Writing()
    talk.user("Remember the tides.")
    wrote = write(talk, "toolu_1", "tides.md", "High water.\n")
    write(talk, "toolu_2", "tides.md", "This was refused.\n", error=True)
    saved(projects, talk)
    shelf.outside("tides.md", b"High water.\n")
    sync([projects.parent], workers=1)
    memory_follow(projects=projects)
    (version,) = Version.objects.all()
    origin = version_origin(version)
    assert origin
    assert (origin.transcript.session_id, origin.address, origin.evidence) == (talk.session, wrote, "content")


def test_what_the_client_put_into_the_header_does_not_hide_the_author(projects: Path, shelf: Shelf) -> None:
    """The same text twice: once its result says what was written, once, as with sub-agents, it does not."""
    talk = Writing()
    talk.user("Remember the tides.")
    content = "---\nname: tides\ndescription: High, low\nmetadata:\n  type: user\n---\n\nHigh water.\n"
    stamped = content.replace("description: High, low", 'description: "High, low"').replace(
        "  type: user\n", f"  node_type: memory\n  type: user\n  originSessionId: {talk.session}\n"
    )
    first = write(talk, "toolu_1", "tides.md", content)
    output = talk.call("Write", "toolu_2", file_path=f"{FOLDER}/other.md", content="something else")
    path = f"{FOLDER}/other.md"
    talk.result("toolu_2", "done", toolUseResult={"type": "create", "filePath": path, "content": stamped})
    saved(projects, talk)
    shelf.outside("tides.md", stamped.encode())
    shelf.outside("other.md", stamped.encode())
    sync([projects.parent], workers=1)
    memory_follow(projects=projects)
    origins = {version.name: version_origin(version) for version in Version.objects.all()}
    assert {name: origin.address for name, origin in origins.items() if origin} == {
        "tides.md": first,
        "other.md": output,
    }


def test_edits_between_two_looks_are_followed_one_after_the_other(projects: Path, shelf: Shelf) -> None:
    shelf.outside("tides.md", b"High water at six.\r\nLow water at noon.\r\n")
    shelf.scan()
    talk = Writing()
    talk.user("Correct the tides.")
    for tool, old, new in (("toolu_1", "six", "seven"), ("toolu_2", "noon", "one")):
        last = talk.call("Edit", tool, file_path=f"{FOLDER}/tides.md", old_string=old, new_string=new)
        talk.result(tool, "done")
    saved(projects, talk)
    shelf.outside("tides.md", b"High water at seven.\r\nLow water at one.\r\n")
    sync([projects.parent], workers=1)
    memory_follow(projects=projects)
    current = file_get(shelf.directory, "tides.md").current
    assert current
    origin = version_origin(current)
    assert origin
    assert (origin.address, origin.evidence) == (last, "content")


def test_a_file_that_nobody_is_known_to_have_written_asks_its_front_matter(projects: Path, shelf: Shelf) -> None:
    talk = Writing()
    talk.user("Hello.")
    saved(projects, talk)
    content = f"---\nname: tides\nmetadata:\n  originSessionId: {talk.session}\n---\n\nText.\n".encode()
    shelf.outside("tides.md", content)
    shelf.outside("other.md", b"Nobody.\n")
    sync([projects.parent], workers=1)
    memory_follow(projects=projects)
    versions = {version.name: version for version in Version.objects.all()}
    origin = version_origin(versions["tides.md"], content)
    assert origin
    assert (origin.transcript.session_id, origin.address, origin.evidence) == (talk.session, "", "front matter")
    assert version_origin(versions["other.md"], b"Nobody.\n") is None


def test_sessions_that_read_a_memory_or_were_given_it_are_known(projects: Path, shelf: Shelf) -> None:
    talk = Writing()
    talk.user("What do we know?")
    index = {"path": f"{FOLDER}/MEMORY.md", "type": "AutoMem", "content": "- [Tides](tides.md)"}
    talk.row("attachment", attachment={"type": "instructions", "files": [index]})
    talk.call("Read", "toolu_1", file_path=f"{FOLDER}/tides.md")
    talk.result("toolu_1", "High water.")
    memories = [{"path": f"{FOLDER}/tides.md", "content": "High water."}, {"path": "/elsewhere/x.md", "content": ""}]
    talk.row("attachment", attachment={"type": "relevant_memories", "memories": memories})
    saved(projects, talk)
    sync([projects.parent], workers=1)
    touches_index()
    touches = list(touches_of(shelf.directory, "tides.md"))
    assert [(touch.kind, touch.detail) for touch in touches] == [("given", "relevant_memories"), ("read", "Read")]
    uses = uses_of(shelf.directory)
    assert {spot: use.count for spot, use in uses.items()} == {
        ("MEMORY.md", "given"): 1,
        ("tides.md", "given"): 1,
        ("tides.md", "read"): 1,
    }
    assert uses["tides.md", "read"].last_at == touches[1].at


def test_a_call_without_a_result_is_looked_at_again_when_it_has_one(projects: Path, shelf: Shelf) -> None:
    talk = Writing()
    talk.user("Remember.")
    talk.call("Write", "toolu_1", file_path=f"{FOLDER}/tides.md", content="High water.\n")
    path = saved(projects, talk)
    sync([projects.parent], workers=1)
    assert touches_index().touches == 0
    talk.result("toolu_1", "done")
    append(path, talk.records[-1])
    sync([projects.parent], workers=1)
    assert touches_index().touches == 1


def test_what_was_looked_through_costs_one_query_and_no_row(projects: Path, shelf: Shelf) -> None:
    talk = Writing()
    talk.user("Remember.")
    write(talk, "toolu_1", "tides.md", "High water.\n")
    saved(projects, talk)
    sync([projects.parent], workers=1)
    touches_index()
    with CaptureQueriesContext(connection) as queries:
        second = touches_index()
    assert (second.transcripts, second.touches, len(queries)) == (0, 0, 2)


def test_a_copy_of_a_session_touches_nothing(projects: Path, shelf: Shelf) -> None:
    talk = Writing()
    talk.user("Remember.")
    write(talk, "toolu_1", "tides.md", "High water.\n")
    saved(projects, talk)
    fork = Writing("99999999-2222-4333-8444-555555555555", records=json.loads(json.dumps(talk.records)))
    for record in fork.records:
        record["sessionId"] = fork.session
    fork.save(projects / SLUG)
    sync([projects.parent], workers=1)
    touches_index()
    assert [touch.transcript.session_id for touch in Touch.objects.select_related("transcript")] == [talk.session]
