"""Which sessions count for a dream: those of every project whose memory it is, wherever the memory lies."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memory.dreams.engine.lock import DreamLock
from memory.dreams.selectors.gates import sessions_since
from memory.files.services.writing import directory_register
from sessions.models import Project

pytestmark = pytest.mark.django_db


def project(config: Path, checkout: Path) -> Path:
    """A project that has one session; its folder of transcripts."""
    checkout.mkdir(parents=True, exist_ok=True)
    folder = config / "projects" / str(checkout).replace("/", "-").replace("_", "-").replace(".", "-")
    folder.mkdir(parents=True)
    (folder / f"{checkout.name}.jsonl").write_text("{}\n")
    Project.objects.create(directory=str(folder), cwd=str(checkout))
    return folder


def counted(memory: Path) -> set[str]:
    return {item.path.stem for item in sessions_since(directory_register(path=str(memory)), DreamLock(None, None))}


def test_sessions_lie_beside_the_memory_of_their_project(tmp_path: Path) -> None:
    boat = project(tmp_path / "config", tmp_path / "boat")
    project(tmp_path / "config", tmp_path / "house")
    (boat / "memory").mkdir()
    (boat / "boat" / "subagents").mkdir(parents=True)
    (boat / "boat" / "subagents" / "agent-1.jsonl").write_text("{}\n")
    (boat / "agent-2.jsonl").write_text("{}\n")
    assert counted(boat / "memory") == {"boat"}


def test_memory_that_settings_put_elsewhere_counts_the_sessions_of_all_projects(
    tmp_path: Path, settings: pytest.FixtureRequest
) -> None:
    shared = tmp_path / "a" / "b" / "shared"
    shared.mkdir(parents=True)
    (shared.parent / "of-somebody-else.jsonl").write_text("{}\n")
    settings.USER_ENVIRONMENT = {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": str(shared)}  # type: ignore[attr-defined]
    for name in ("boat", "house"):
        project(tmp_path / "config", tmp_path / name)
    assert counted(shared) == {"boat", "house"}


def test_worktrees_count_for_the_memory_that_they_share(tmp_path: Path, settings: pytest.FixtureRequest) -> None:
    settings.USER_ENVIRONMENT = {}  # type: ignore[attr-defined]
    main, tree = tmp_path / "boat", tmp_path / "boat-fog"
    git = ["git", "-C", str(main), "-c", "user.name=a", "-c", "user.email=a@b"]
    main.mkdir()
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["worktree", "add", "-q", str(tree)]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    folder = project(tmp_path / "config", main)
    project(tmp_path / "config", tree)
    (folder / "memory").mkdir()
    assert counted(folder / "memory") == {"boat", "boat-fog"}


def test_a_directory_of_transcripts_that_is_gone_counts_none(tmp_path: Path) -> None:
    memory = project(tmp_path / "config", tmp_path / "boat") / "memory"
    memory.mkdir()
    shutil.move(memory.parent, tmp_path / "away")
    assert counted(memory) == set()
