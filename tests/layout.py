"""The layout of files, which `make lint` holds: `python -m tests.layout`.

Of templates and styles only the outcome is checked: no formatter that we know leaves white space alone where it shows.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
APPS = ("compaction", "inspector", "memory", "sessions")
LONGEST = 120
MOST_LINES = 400
MOST_FILES = 20
"""Python files in a folder of the product, `__init__.py` aside."""
WEAK_NAMES = frozenset({"asked", "found", "one", "said", "told"})
"""They say nothing of what a variable holds."""
_DECLARATIONS = re.compile(r";\s*[\w-]+\s*:|\{\s*[\w-]+\s*:.*;")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# What follows `tone-` is the name of a category in the engine, not ours to spell.
_TEMPLATE = re.compile(r"""["']((?:[a-z]\w*/)*[a-z_]\w*\.html)(?:#[a-z-]+)?["'{]""")
_TAG = re.compile(r"{%\s*(?:for|with|include)\s[^%]*%}")
_BOUND = re.compile(r"(?<=[\s,])(\w+)(?==)|(?<=for )([\w, ]+)(?= in )")
_UNDERSCORE = re.compile(r"\.(?!tone-)[a-z][\w-]*_[\w-]*")


def troubles(path: Path, text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST:
            yield f"{path}:{number}: {len(line)} characters, more than {LONGEST}"
    if path.suffix == ".css":
        if "_" in path.name:
            yield f"{path}: stylesheets are named with hyphens"
        plain = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
        for number, line in enumerate(plain.split("\n"), 1):
            if _DECLARATIONS.search(line):
                yield f"{path}:{number}: more than one declaration"
            if line.rstrip().endswith(("{", ",")) and _UNDERSCORE.search(line):
                yield f"{path}:{number}: classes are named with hyphens"


def unknown_templates(path: Path, text: str) -> Iterator[str]:
    """Names of templates that are not there: whoever includes one would fail only when the page is asked for."""
    for number, line in enumerate(text.split("\n"), 1):
        for name in _TEMPLATE.findall(line):
            # In code, a name without a folder may be that of another page.
            if (path.suffix == ".html" or "/" in name) and not (ROOT / "templates" / name).is_file():
                yield f"{path}:{number}: there is no template {name}"


def long_files(path: Path, text: str) -> Iterator[str]:
    if (lines := text.count("\n")) > MOST_LINES:
        yield f"{path}: {lines} lines, more than {MOST_LINES}"


def full_folders(paths: Iterable[Path]) -> Iterator[str]:
    folders = Counter(path.parent for path in paths if path.name != "__init__.py")
    for folder, files in folders.items():
        if files > MOST_FILES:
            yield f"{folder}: {files} files, more than {MOST_FILES}"


def weak_names(path: Path, text: str) -> Iterator[str]:
    if path.suffix == ".html":
        for tag in _TAG.finditer(text):
            for name in WEAK_NAMES.intersection(re.findall(r"\w+", " ".join(map("".join, _BOUND.findall(tag[0]))))):
                yield f"{path}:{text.count(chr(10), 0, tag.start()) + 1}: {name} does not say what it holds"
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in WEAK_NAMES:
            yield f"{path}:{node.lineno}: {node.id} does not say what it holds"


def main() -> int:
    output = [
        file
        for folder in ("templates", "static")
        for file in sorted((ROOT / folder).rglob("*.*"))
        if file.suffix in (".html", ".css", ".js")
    ]
    modules = [file for app in APPS for file in sorted((ROOT / app).rglob("*.py")) if "migrations" not in file.parts]
    tests = [file for folder in ("benchmarks", "tests") for file in sorted((ROOT / folder).rglob("*.py"))]
    complaints = [trouble for file in output for trouble in troubles(file.relative_to(ROOT), file.read_text())]
    complaints += full_folders(file.relative_to(ROOT) for file in modules)
    for file in (*modules, *tests):
        complaints += long_files(file.relative_to(ROOT), file.read_text())
        complaints += weak_names(file.relative_to(ROOT), file.read_text())
    for file in (*modules, *output):
        if file.suffix in (".html", ".py"):
            complaints += unknown_templates(file.relative_to(ROOT), file.read_text())
        if file.suffix == ".html":
            complaints += weak_names(file.relative_to(ROOT), file.read_text())
    print(
        "\n".join(complaints)
        or f"{len(output)} templates, styles and scripts, {len(modules) + len(tests)} modules: all well."
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
