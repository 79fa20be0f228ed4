"""Requests in a few words, and what is found in them."""

from __future__ import annotations

from typing import Any

from sessions.lint.engine import Finding, Severity, lint_request

OLD = "claude-haiku-4-5"
"""Continues an answer, forgets earlier thinking, caches from 4,096 tokens on."""
NEW = "claude-opus-4-8"
"""Refuses prefill, keeps thinking, caches from 1,024 tokens on."""
BOUND = "claude-fable-5-1"
"""Thinking is bound to what precedes it."""


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [text(block) if isinstance(block, str) else block for block in blocks]}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [text(block) if isinstance(block, str) else block for block in blocks]}


def system(words: str) -> dict[str, Any]:
    return {"role": "system", "content": words}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {}, **more}


def result(name: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def thought(words: str = "hm", **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": f"signature of {words}", **more}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": NEW, "max_tokens": 1000, "messages": list(messages), **more}


def lint(request: Any, model: str | None = None, **more: Any) -> list[Finding]:
    return lint_request(request, model, **more)


def places(request: Any, model: str | None = None, **more: Any) -> list[tuple[str, str]]:
    return [(finding.rule, finding.path) for finding in lint(request, model, **more)]


def refusals(request: Any, model: str | None = None) -> list[Finding]:
    return [finding for finding in lint_request(request, model) if finding.severity is Severity.REFUSED]


def only(request: Any, model: str | None = None, **more: Any) -> Finding:
    (finding,) = lint(request, model, **more)
    return finding
