"""Memory that lies elsewhere is found: of agents in three scopes, and where the environment says; links never."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.test import Client

from memory.files.services.discovery import directories_find
from sessions.models import Project

pytestmark = pytest.mark.django_db


def test_agents_of_three_scopes_and_a_configured_place_are_found_and_links_are_not(
    tmp_path: Path, settings: pytest.FixtureRequest
) -> None:
    config, project, elsewhere = tmp_path / "config", tmp_path / "boat", tmp_path / "a" / "b" / "elsewhere"
    folders = [
        config / "agent-memory" / "critic",
        project / ".claude" / "agent-memory" / "pilot",
        project / ".claude" / "agent-memory-local" / "pilot",
        elsewhere,
        tmp_path / "private",
    ]
    for folder in folders:
        folder.mkdir(parents=True)
    os.symlink(tmp_path / "private", project / ".claude" / "agent-memory" / "trap")
    Project.objects.create(directory=str(tmp_path / "x"), cwd=str(project))
    settings.USER_ENVIRONMENT = {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": str(elsewhere)}  # type: ignore[attr-defined]
    result = {directory.path for directory in directories_find(config=config)}
    assert result == {str(folder) for folder in folders[:4]}
    html = Client().get("/memory/").content.decode()
    assert "pilot (boat agent)" in html
    assert "pilot (boat, local agent)" in html
