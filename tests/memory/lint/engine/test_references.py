"""What a topic names of the project, held against its checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.lint.engine import FolderCheckout, folder_checkout
from tests.memory.lint.engine.memories import GOOD, findings_in, memory, topic


@pytest.fixture
def checkout(tmp_path: Path) -> FolderCheckout:
    files = {
        "src/boat/table.py": "def bounds():\n    ...\n",
        "tools/run.py": 'add("--check")\n',
        "README.md": "make_it\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    return FolderCheckout(tmp_path)


def named(text: str, checkout: FolderCheckout | None) -> list[tuple[str, str]]:
    findings = findings_in(memory(a=topic(f"{GOOD}\n{text}\n")), checkout=checkout)
    return [(finding.rule, finding.message) for finding in findings if finding.rule.startswith("missing-")]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("See `src/boat/gone.py`.", "missing-file"),
        ("See `src/boat/gone.py:12`.", "missing-file"),
        ("Run `python tools/gone.py --check`.", "missing-file"),
        ("Call `nowhere()` first.", "missing-function"),
        ("Call `boat.table.nowhere()` first.", "missing-function"),
        ("Run `tools/run.py --force`.", "missing-option"),
    ],
)
def test_what_is_not_there_is_told(checkout: FolderCheckout, text: str, rule: str) -> None:
    assert [item for item, _ in named(text, checkout)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "See `src/boat/table.py:3`, `boat/table.py`, `table.py`, `./README.md` and `src/boat/`.",
        "Call `bounds()` or `table.bounds()`; run `tools/run.py --check`.",
        "Not ours: `/etc/hosts.conf`, `~/x.py`, `https://a.b/c.py`, `git push --force`, `../x.py`.",
        "No names: `src/**/*.py`, `<name>/x.py`, `src/.../x.py`, `{name}.py`, `$HOME/x.py`.",
        "No files: `and/or`, `origin/main`, `owner/repository`, `v1.2/3.4`, src/gone.py without a code span.",
        "```\nsrc/gone.py\n```",
    ],
)
def test_what_is_there_or_is_none_of_the_project_is_left_alone(checkout: FolderCheckout, text: str) -> None:
    assert named(text, checkout) == []


def test_without_a_checkout_nothing_is_said() -> None:
    assert named("See `src/boat/gone.py`.", None) == []


def test_beyond_the_limits_nothing_is_said(checkout: FolderCheckout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_checkout, "MOST_FILES", 0)
    monkeypatch.setattr(folder_checkout, "MOST_BYTES", 0)
    assert named("See `src/boat/gone.py`, call `nowhere()`.", FolderCheckout(checkout.root)) == []
