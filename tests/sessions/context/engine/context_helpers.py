"""Builds contexts from small transcripts, and reads their texts."""

from __future__ import annotations

from typing import Any

from sessions.context.engine import Context, Log, context_at, contexts
from tests.sessions.writing import Writing


def log_of(writing: Writing, *, agent: bool = False) -> Log:
    return Log(b"".join(writing.lines()), agent=agent)


def last(writing: Writing) -> Context:
    """The context of the last request."""
    return list(contexts(log_of(writing)))[-1]


def following(writing: Writing) -> Context:
    """What is sent next."""
    return context_at(log_of(writing))


def texts(context: Context) -> list[tuple[str, list[str]]]:
    """Role and texts of each element."""
    return [(element.role, [_text(piece.block) for piece in element.pieces]) for element in context.elements]


def _text(block: Any) -> str:
    kind = block["type"]
    if kind == "text":
        return str(block["text"])
    if kind == "tool_use":
        return f"call {block['id']}"
    if kind == "tool_result":
        return f"result {block['tool_use_id']}: {block['content']}"
    return f"{kind}"


def call(tool: str, name: str = "Bash", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool, "name": name, "input": fields}


def thought(words: str = "Hm.") -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def attach(writing: Writing, kind: str, *words: str, role: str = "user", **fields: Any) -> str:
    """An attachment as newer versions write it: with its words."""
    rendered = [{"content": f"<system-reminder>\n{text}\n</system-reminder>"} for text in words]
    return writing.row("attachment", attachment={"type": kind}, rendered=rendered, renderedRole=role, **fields)
