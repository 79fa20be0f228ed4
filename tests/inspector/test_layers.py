"""`make lint` proves that the code keeps the contracts; this proves that the contracts notice when it does not."""

from __future__ import annotations

import re
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
    result = subprocess.run([sys.executable, "-c", program], cwd=tree, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 1), result.stderr
    return "" if result.returncode == 0 else result.stdout


FORBIDDEN = [
    ("sessions/text/engine", "django.db"),
    ("sessions/text/engine", "celery"),
    ("sessions/text/engine", "inspector.web"),
    ("sessions/text/engine", "sessions.models"),
    ("sessions/context/engine", "sessions.context.selectors"),
    ("memory/lint/engine", "django.conf"),
    ("memory/lint/engine", "compaction.kinds.engine"),
    ("sessions/models", "sessions.context.selectors"),
    ("sessions/context/selectors", "sessions.imports.services"),
    ("sessions/context/selectors", "sessions.timeline.views"),
    ("sessions/imports/services", "sessions.timeline.views"),
    ("sessions/imports/services", "sessions.management"),
    ("sessions/imports/services", "inspector.settings"),
    ("sessions/imports/services", "memory.lint.engine"),
    ("memory/dreams/services", "compaction.kinds.services"),
    ("inspector/runs", "sessions.models"),
    ("inspector/runs", "inspector.budget"),
    ("inspector/web", "sessions.models"),
    ("inspector/web", "inspector.startup"),
    ("inspector/agents", "django.conf"),
    ("inspector/agents", "sessions.models"),
    ("inspector/agents", "inspector.startup"),
    ("inspector/startup", "inspector.cli"),
]
ALLOWED = [
    ("sessions/imports/services", "inspector.web, inspector.runs.services"),
    ("sessions/imports/services", "inspector.agents"),
    ("sessions/management/commands", "sessions.imports.services, django.conf"),
    ("compaction/kinds/engine", "memory.notes.engine, sessions.text.engine"),
    ("inspector/runs", "sessions.text.engine"),
]


def add_imports(tree: Path, imports: list[tuple[str, str]]) -> list[str]:
    """A new file in each folder, and an import in it. Returns the names of the files as modules."""
    for number, (folder, names) in enumerate(imports):
        (tree / folder / f"fresh{number}.py").write_text(f"import {names}\n")
    return [f"{folder.replace('/', '.')}.fresh{number}" for number, (folder, _) in enumerate(imports)]


def test_what_goes_with_the_layers_breaks_nothing(tree: Path) -> None:
    add_imports(tree, ALLOWED)
    assert broken_contracts(tree) == ""


def test_each_import_against_the_layers_is_named(tree: Path) -> None:
    modules = add_imports(tree, FORBIDDEN)
    report = broken_contracts(tree)
    assert "BROKEN" in report
    assert [module for module in modules if not re.search(rf"{re.escape(module)}\b", report)] == []


APP_FILES = {"apps", "demo", "management", "migrations", "models", "tasks", "templatetags", "urls"}


@pytest.mark.parametrize("app", ["compaction", "memory", "sessions"])
def test_an_app_holds_features_and_nothing_loose(app: str) -> None:
    """A feature is a folder that says what it is; the rest is what Django looks for by name."""
    for path in (ROOT / app).iterdir():
        if path.name.startswith("__") or path.stem in APP_FILES:
            continue
        assert path.is_dir(), f"{app}/{path.name} belongs into a feature"
        assert (path / "__init__.py").read_text().startswith('"""'), f"{app}/{path.name} does not say what it is"
