"""The examples of docs/engine.md run, in order and in one namespace, as a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compaction.mechanisms.engine.full.prompt import PREAMBLE
from sessions.lint.engine import Severity, lint_request
from tests.inspector.agents.server import Answer, Received, Say, messages_server, too_long

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "engine.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ASKING = [example for example in EXAMPLES if "client.messages.create" in example]
"""A reader's own loop, and the function that it is given to summarise with."""


def test_every_example_runs(capsys: Any) -> None:
    session = max((ROOT / "sessions" / "demo" / "projects").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)
    namespace: dict[str, Any] = {"lines": session.read_bytes().splitlines(keepends=True)}
    assert len(EXAMPLES) > 10
    for example in EXAMPLES:
        if example not in ASKING:
            exec(compile(example, "docs/engine.md", "exec"), namespace)
    printed = capsys.readouterr().out
    assert "reconstructed" in printed or "recorded" in printed
    assert "tool_use` ids were found without `tool_result`" in printed


def test_the_ten_lines_keep_an_endless_conversation_inside_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, summarise = ASKING
    assert len([line for line in loop.splitlines() if line]) == 10
    prompts = [f"Question {number}: {'what about it? ' * 2_000}" for number in range(40)]
    summaries: list[int] = []

    def answer(request: Received) -> Answer:
        body = request.json
        result = lint_request(body)
        assert [item for item in result if item.severity is Severity.REFUSED] == []
        if PREAMBLE not in str(body["messages"][-1]["content"][-1]["text"]):
            return Say("It depends. " * 200)
        summaries.append(len(body["messages"]))
        # The first one is tried again with less, and as a call of its own.
        return too_long(200_100) if len(summaries) == 1 else Say("<summary>1. Many questions.</summary>")

    with messages_server() as server:
        server.otherwise = answer
        monkeypatch.setenv("ANTHROPIC_API_KEY", server.key)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        typed = iter([*prompts, ""])
        namespace: dict[str, Any] = {"input": lambda _: next(typed)}
        for example in (summarise, loop):
            exec(compile(example, "docs/engine.md", "exec"), namespace)
    assert len(namespace["array"]) == 2 * len(prompts)
    assert len(namespace["state"].compactions) == len(summaries) - 1 > 1
    assert summaries[1] < summaries[0]
    assert max(len(request.body) for request in server.requests) < 4 * 167_000
