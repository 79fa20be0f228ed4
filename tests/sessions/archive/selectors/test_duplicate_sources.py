from __future__ import annotations

from pathlib import Path

import pytest

from inspector.runs.services import run_perform
from sessions.archive.selectors.duplicate_sources import duplicate_sources
from sessions.imports.services.sync import sync
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_file_that_is_stored_twice_is_named(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-dev-atlas"
    first = Writing().turns(3)
    path = first.save(project)
    sync([tmp_path])
    assert duplicate_sources() == []
    other = Writing()
    other.user("Something else entirely.")
    other.save(project)
    sync([tmp_path])
    assert duplicate_sources() == []
    first.save(project)
    sync([tmp_path])
    (double,) = duplicate_sources()
    assert (double.path, len(double.sources), double.entries) == (str(path), 2, 12)
    result = run_perform(kind="check archive")
    assert "1 file is stored more than once, with 12 entries too many" in result["summary"]
    assert result["damaged"] == 0
