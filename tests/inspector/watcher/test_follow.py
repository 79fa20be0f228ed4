"""The watcher follows memory too: what an agent writes there is a version, with the session that wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from watchfiles import Change

from inspector.watcher.follow import Sealing, _import, _take
from memory.models import Version
from sessions.models import Block
from tests.sessions.archive.rotting import without_hashes
from tests.sessions.writing import Writing

SLUG = "-home-dev-tidewatch"


@pytest.mark.django_db(transaction=True)
def test_a_memory_that_an_agent_writes_becomes_a_version_of_its_session(tmp_path: Path) -> None:
    memory = tmp_path / "projects" / SLUG / "memory"
    memory.mkdir(parents=True)
    (memory / "old.md").write_text("Old.\n")
    _import(tmp_path)
    assert [version.name for version in Version.objects.all()] == ["old.md"]
    talk = Writing()
    talk.user("Remember the tides.")
    wrote = f"/home/dev/.claude/projects/{SLUG}/memory/tides.md"
    talk.call("Write", "toolu_1", file_path=wrote, content="High water.\n")
    talk.result("toolu_1", "done")
    session = talk.save(memory.parent)
    (memory / "tides.md").write_text("High water.\n")
    _take(tmp_path, {(Change.added, str(memory / "tides.md"))})
    _take(tmp_path, {(Change.added, str(session))})
    version = Version.objects.select_related("transcript").get(name="tides.md")
    assert version.transcript
    assert (version.cause, version.transcript.session_id, version.position) == ("outside", talk.session, 1)


@pytest.mark.django_db(transaction=True)
def test_while_nothing_happens_older_blocks_get_their_hashes(tmp_path: Path) -> None:
    Writing().turns(3).save(tmp_path / "projects" / SLUG)
    _import(tmp_path)
    without_hashes()
    seal = Sealing()
    for _ in range(10):
        seal()
    assert Block.objects.count() == 1
    assert not Block.objects.filter(frame_hash=None).exists()
