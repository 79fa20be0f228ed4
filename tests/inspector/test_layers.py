"""`make lint` proves that the code keeps the contracts; this proves that the contracts notice when it does not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving import ROOT

PACKAGES = ("compaction", "inspector", "memory", "sessions")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The real files by name, all empty."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            empty = tmp_path / path.relative_to(ROOT)
            empty.parent.mkdir(parents=True, exist_ok=True)
            empty.touch()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken_contracts(tree: Path) -> str:
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return "" if done.returncode == 0 else done.stdout


def test_files_that_import_nothing_break_nothing(tree: Path) -> None:
    assert broken_contracts(tree) == ""


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("sessions/engine/fresh.py", "import django.db"),
        ("sessions/engine/fresh.py", "import celery"),
        ("sessions/engine/fresh.py", "import inspector.web"),
        ("sessions/engine/fresh.py", "import sessions.models"),
        ("memory/engine/fresh.py", "import django.conf"),
        ("sessions/models/fresh.py", "import sessions.selectors"),
        ("sessions/selectors/fresh.py", "import sessions.services"),
        ("sessions/services/fresh.py", "import sessions.management"),
        ("sessions/services/fresh.py", "import inspector.settings"),
        ("sessions/services/fresh.py", "import memory.engine"),
        ("memory/engine/fresh.py", "import compaction.engine"),
        ("inspector/web/fresh.py", "import sessions.engine"),
        ("inspector/web/fresh.py", "import inspector.startup"),
        ("inspector/agents/fresh.py", "import django.conf"),
        ("inspector/agents/fresh.py", "import sessions.engine"),
        ("inspector/agents/fresh.py", "import inspector.startup"),
        ("inspector/startup/fresh.py", "import inspector.cli"),
        ("sessions/helpers.py", ""),
    ],
)
def test_what_goes_against_the_layers_is_noticed(tree: Path, file: str, line: str) -> None:
    (tree / file).write_text(f"{line}\n")
    assert "BROKEN" in broken_contracts(tree)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("sessions/services/fresh.py", "import inspector.web"),
        ("sessions/services/fresh.py", "import inspector.agents"),
        ("sessions/management/commands/fresh.py", "import sessions.services, django.conf"),
        ("compaction/engine/fresh.py", "import memory.engine, sessions.engine"),
    ],
)
def test_what_goes_with_the_layers_is_not(tree: Path, file: str, line: str) -> None:
    (tree / file).write_text(f"{line}\n")
    assert broken_contracts(tree) == ""
