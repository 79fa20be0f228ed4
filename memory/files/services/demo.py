"""The demo's memory is part of the program and read-only: the user works on a copy in the home."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from memory.files.selectors.directories import demo_root
from memory.files.services.writing import directory_register
from memory.models import Directory
from sessions.models import Project
from sessions.transcripts.engine.paths import encode_path


def demo_copy(*, projects: Path) -> Path:
    """Copies each memory of the demo once. Returns the directory of projects to follow instead of the demo's own."""
    root = demo_root()
    for source in sorted(projects.glob("*/memory")):
        target = root / source.parent.name / source.name
        if not target.exists() and not Directory.objects.filter(path=encode_path(os.path.realpath(target))).exists():
            _copy(source, target)
        directory = directory_register(path=encode_path(target))
        if directory.project_id is None:
            directory.project = Project.objects.filter(directory=encode_path(source.parent)).first()
            directory.save(update_fields=["project"])
    return root


def _copy(source: Path, target: Path) -> None:
    """Copies everything or nothing. What an interrupted attempt has left is deleted first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(".memory-copied")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(source, unfinished)
    unfinished.rename(target)
