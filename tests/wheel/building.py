"""A wheel and a source distribution as a release has them, made of a copy: what lies about in the tree stays out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.serving import ROOT

PACKAGES = ("compaction", "inspector", "memory", "sessions")
FOLDERS = ("docs", "static", "templates")
FILES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "MANIFEST.in",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "manage.py",
    "pyproject.toml",
    "requirements-dev.lock",
    "requirements.lock",
    "setup.py",
)


def source_copy(target: Path) -> Path:
    target.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, target)
    for name in (*PACKAGES, *FOLDERS):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def build(source: Path, target: Path, *kinds: str) -> None:
    """`kinds` as `python -m build` has them: without, a source distribution and the wheel that comes of it."""
    command = [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", str(target), *kinds, str(source)]
    result = subprocess.run(command, cwd=target.parent, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


def wheel_in(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel
