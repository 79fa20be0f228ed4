"""Environments with Lucid installed from a wheel, out of reach of the tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from tests.serving import ROOT, Program

LOCK = ROOT / "requirements.lock"
EXTRAS = frozenset({"httptools", "psycopg", "psycopg-binary", "uvloop"})
"""Distributions that the extras bring."""
PYTHONS = ("3.11", "3.12", "3.13")


def locked() -> dict[str, str]:
    """Distribution -> version."""
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", LOCK.read_text(), re.MULTILINE))


def linked_environment(folder: Path, wheel: Path, *, without: frozenset[str] = frozenset()) -> Program:
    """In seconds: what the lock file names is linked from the environment of the tests, which was installed by it."""
    _run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in locked().keys() - without:
        for path in {Path(str(distribution(name).locate_file(top))) for top in _tops(name)}:
            (packages / path.name).symlink_to(path)
    _run(sys.executable, "-m", "pip", "--python", _python(folder), "install", "--no-deps", "--no-index", str(wheel))
    return _program(folder)


def real_environment(folder: Path, python: str, wheel: Path, *, extras: bool) -> Program:
    """As a person would install it, from an index: what the lock file names, by hashes, or the wheel alone with the
    same versions."""
    _run(python, "-m", "venv", str(folder))
    pip = (_python(folder), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet")
    if extras:
        _run(*pip, "--require-hashes", "-r", str(LOCK))
        _run(*pip, "--no-deps", str(wheel))
    else:
        versions = folder / "versions.txt"
        versions.write_text("".join(f"{name}=={version}\n" for name, version in locked().items()))
        _run(*pip, "--constraint", str(versions), str(wheel))
    return _program(folder)


@cache
def interpreter(version: str) -> str:
    """A Python of this version: on the path, or one that pyenv has and does not show. Empty if there is none."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for path in (f"python{version}", *sorted(map(str, root.glob(f"versions/{version}.*/bin/python")))):
        try:
            result = subprocess.run([path, "-c", "import ensurepip, sqlite3, venv"], capture_output=True, check=False)
        except OSError:
            continue
        if result.returncode == 0:
            return path
    return ""


def imported_from(program: Program, module: str) -> str:
    """Where `program` has a module from; empty if it has none."""
    question = f"import importlib.util as u; spec = u.find_spec({module!r}); print(spec.origin if spec else '')"
    python = _python(Path(program.command[0]).parent.parent)
    return _run(python, "-P", "-c", question, cwd=program.cwd).strip()


def _tops(name: str) -> set[str]:
    parts = {file.parts[0] for file in distribution(name).files or ()}
    return parts - {"..", "__pycache__"}


def _program(folder: Path) -> Program:
    """Started in a directory whose packages are called like ours: they are the user's, and none of our business."""
    cwd = folder / "somewhere"
    for name in ("compaction", "django", "inspector", "memory", "sessions"):
        (cwd / name).mkdir(parents=True)
        (cwd / name / "__init__.py").write_text("raise SystemExit('imported from the current directory')\n")
    return Program((str(folder / "bin" / "lucid"),), cwd)


def _python(folder: Path) -> str:
    return str(folder / "bin" / "python")


def _run(*command: str, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    return result.stdout
