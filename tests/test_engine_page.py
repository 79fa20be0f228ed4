"""The examples of docs/engine.md run, in order and in one namespace, as a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "engine.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ASKS_A_MODEL = "client.messages.create"
"""That one stands for a reader's own loop; tests/compaction/engine/pipeline/test_ten_lines.py runs the same lines."""


def test_every_example_runs(capsys: Any) -> None:
    session = max((ROOT / "sessions" / "demo" / "projects").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)
    namespace: dict[str, Any] = {"lines": session.read_bytes().splitlines(keepends=True)}
    for example in EXAMPLES:
        if ASKS_A_MODEL not in example:
            exec(compile(example, "docs/engine.md", "exec"), namespace)
    printed = capsys.readouterr().out
    assert "reconstructed" in printed or "recorded" in printed
    assert "tool_use` ids were found without `tool_result`" in printed


def test_all_but_one_example_is_run_here() -> None:
    assert len(EXAMPLES) > 8
    assert sum(ASKS_A_MODEL in example for example in EXAMPLES) == 1
