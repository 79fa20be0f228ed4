"""The examples of docs/memory.md run, in order and in one namespace, and its tables are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from memory.lint.engine import FORMULA, RULES

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "memory.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_every_example_runs_and_prints_what_the_page_says(capsys: Any) -> None:
    namespace: dict[str, Any] = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/memory.md", "exec"), namespace)
    printed = capsys.readouterr().out
    assert len(EXAMPLES) > 4
    assert "../../settings.json leads out of the directory." in printed
    assert "WARNING: MEMORY.md is 230 lines (limit: 200)." in printed
    assert "['dangling-pointer', 'orphan-topic', 'invalid-yaml'" in printed
    for match in re.findall(r"  # (100 × .*)$", PAGE, re.MULTILINE):
        assert match in printed


def test_the_page_lists_every_rule() -> None:
    assert (
        dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", PAGE.partition("## The linter")[2], re.MULTILINE)) == RULES
    )


def test_the_formula_of_health_is_on_the_page() -> None:
    assert FORMULA in " ".join(PAGE.split())
