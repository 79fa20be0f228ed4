"""What pyproject.toml asks for is what the code imports, what docs/dependencies.md gives a reason for, and what is
locked."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.serving import ROOT

PACKAGES = ("compaction", "inspector", "memory", "sessions")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TEXT = (ROOT / "docs" / "dependencies.md").read_text()
NEEDED = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(line) for line in lines] for name, lines in PROJECT["optional-dependencies"].items()}
ALL = [*NEEDED, *(requirement for lines in EXTRAS.values() for requirement in lines)]


BEHIND = {"uvicorn.protocols.http.httptools_impl": "httptools"}
"""Modules that cannot be imported without another distribution."""


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
            yield from (name for module, name in BEHIND.items() if module == node.module)


def named_in_settings() -> Iterator[str]:
    """Apps, middleware and template tags, which Django imports by their names."""
    for node in ast.walk(ast.parse((ROOT / "inspector" / "settings.py").read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"\w+(\.\w+)*", node.value):
            yield node.value.partition(".")[0]


def used() -> set[str]:
    """The distributions that the code imports from."""
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    modules = {name for path in sources for name in imported(ast.parse(path.read_text()))}
    distributions = packages_distributions()
    modules |= {name for name in named_in_settings() if name in distributions}
    outside = modules - set(PACKAGES) - sys.stdlib_module_names
    return {canonicalize_name(distributions[name][0]) for name in outside}


def names(requirements: list[Requirement]) -> list[str]:
    return [canonicalize_name(requirement.name) for requirement in requirements]


def test_every_package_that_the_code_imports_is_asked_for_and_no_other() -> None:
    assert used() == set(names(ALL))


def test_the_documents_have_a_reason_for_each() -> None:
    needed, _, extra = TEXT.partition("## Extras")
    assert re.findall(r"^\| ([a-z][\w-]+) \| \S", needed, re.MULTILINE)[1:] == sorted(names(NEEDED))
    matches = re.findall(r"^\| ([a-z][\w-]+) \| (\w+) \| \S", extra, re.MULTILINE)[1:]
    assert sorted(matches) == sorted((name, extra) for extra, lines in EXTRAS.items() for name in names(lines))


def test_packages_whose_private_methods_we_override_are_held_to_versions_that_were_tried() -> None:
    for name in ("kombu", "uvicorn"):
        (requirement,) = [requirement for requirement in NEEDED if requirement.name == name]
        assert [bound.operator for bound in requirement.specifier if bound.operator.startswith("<")] == ["<"]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_lock_files_hold_a_version_of_each_that_fits(lock: str) -> None:
    text = Path(ROOT / lock).read_text()
    versions = dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))
    for requirement in ALL:
        assert versions[canonicalize_name(requirement.name)] in requirement.specifier, requirement
