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
        ("sessions/text/engine/fresh.py", "import django.db"),
        ("sessions/text/engine/fresh.py", "import celery"),
        ("sessions/text/engine/fresh.py", "import inspector.web"),
        ("sessions/text/engine/fresh.py", "import sessions.models"),
        ("sessions/context/engine/fresh.py", "import sessions.context.selectors"),
        ("memory/lint/engine/fresh.py", "import django.conf"),
        ("memory/lint/engine/fresh.py", "import compaction.kinds.engine"),
        ("sessions/models/fresh.py", "import sessions.context.selectors"),
        ("sessions/context/selectors/fresh.py", "import sessions.imports.services"),
        ("sessions/context/selectors/fresh.py", "import sessions.timeline.views"),
        ("sessions/imports/services/fresh.py", "import sessions.timeline.views"),
        ("sessions/imports/services/fresh.py", "import sessions.management"),
        ("sessions/imports/services/fresh.py", "import inspector.settings"),
        ("sessions/imports/services/fresh.py", "import memory.lint.engine"),
        ("memory/dreams/services/fresh.py", "import compaction.kinds.services"),
        ("inspector/runs/fresh.py", "import sessions.models"),
        ("inspector/runs/fresh.py", "import inspector.budget"),
        ("inspector/web/fresh.py", "import sessions.models"),
        ("inspector/web/fresh.py", "import inspector.startup"),
        ("inspector/agents/fresh.py", "import django.conf"),
        ("inspector/agents/fresh.py", "import sessions.models"),
        ("inspector/agents/fresh.py", "import inspector.startup"),
        ("inspector/startup/fresh.py", "import inspector.cli"),
    ],
)
def test_what_goes_against_the_layers_is_noticed(tree: Path, file: str, line: str) -> None:
    (tree / file).write_text(f"{line}\n")
    assert "BROKEN" in broken_contracts(tree)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("sessions/imports/services/fresh.py", "import inspector.web, inspector.runs.services"),
        ("sessions/imports/services/fresh.py", "import inspector.agents"),
        ("sessions/management/commands/fresh.py", "import sessions.imports.services, django.conf"),
        ("compaction/kinds/engine/fresh.py", "import memory.notes.engine, sessions.text.engine"),
        ("inspector/runs/fresh.py", "import sessions.text.engine"),
    ],
)
def test_what_goes_with_the_layers_is_not(tree: Path, file: str, line: str) -> None:
    (tree / file).write_text(f"{line}\n")
    assert broken_contracts(tree) == ""


APP_FILES = {"apps", "demo", "management", "migrations", "models", "tasks", "templatetags", "urls"}


@pytest.mark.parametrize("app", ["compaction", "memory", "sessions"])
def test_an_app_holds_features_and_nothing_loose(app: str) -> None:
    """A feature is a folder that says what it is; the rest is what Django looks for by name."""
    for path in (ROOT / app).iterdir():
        if path.name.startswith("__") or path.stem in APP_FILES:
            continue
        assert path.is_dir(), f"{app}/{path.name} belongs into a feature"
        assert (path / "__init__.py").read_text().startswith('"""'), f"{app}/{path.name} does not say what it is"
