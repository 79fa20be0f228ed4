"""The demo's memory is worked on in a copy: what lies beside the program is never written to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.test import Client

from memory.files.services.demo import demo_copy
from memory.files.services.scanning import memory_follow
from memory.files.services.writing import memory_open, memory_write
from memory.models import Directory
from sessions.models import Project
from tests.demo import names

pytestmark = pytest.mark.django_db


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_edits_of_the_demo_go_to_a_copy_that_is_made_once(tmp_path: Path, settings: pytest.FixtureRequest) -> None:
    settings.LUCID_HOME = tmp_path / "home"  # type: ignore[attr-defined]
    projects = tmp_path / "demo" / "projects"
    shutil.copytree(names.ROOT / "projects", projects)
    (source,) = projects.glob("*/memory")
    project = Project.objects.create(directory=str(source.parent), cwd="/home/dev/tidewatch")
    before = contents(source)
    root = demo_copy(projects=projects)
    memory_follow(projects=root)
    (directory,) = Directory.objects.all()
    assert (Path(directory.path).is_relative_to(tmp_path / "home"), directory.project) == (True, project)
    opened = memory_open(directory=directory, name="user-dev.md")
    assert opened
    memory_write(directory=directory, name="user-dev.md", content="Mine.\n", expected=opened.digest)
    memory_follow(projects=demo_copy(projects=projects))
    assert (Path(directory.path) / "user-dev.md").read_bytes() == b"Mine.\n"
    assert contents(source) == before
    assert "tidewatch" not in Client().get("/memory/").content.decode()  # no session of it is shown
