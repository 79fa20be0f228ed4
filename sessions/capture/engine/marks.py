"""Cache marks, apart from what they mark: the same message with and without its mark is one content, stored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KEY = "cache_control"
Mark = dict[str, Any]
"""`{"path": ["messages", 3, "content", 0], "value": {"type": "ephemeral"}}`, as the client logs it itself."""


def unmarked(value: Any, path: Sequence[str | int], found: list[Mark]) -> Any:
    """A system block, a tool or a message without its marks, which go into `found`. What holds none is the same object.

    What a tool was called with is data, whatever its keys are."""
    if not isinstance(value, Mapping):
        return value
    bare = dict(value)
    if KEY in bare and not _is_message(path):
        found.append({"path": list(path), "value": bare.pop(KEY)})
    content = bare.get("content")
    if isinstance(content, list) and (_is_message(path) or bare.get("type") == "tool_result"):
        inner = [unmarked(one, [*path, "content", at], found) for at, one in enumerate(content)]
        if any(new is not old for new, old in zip(inner, content, strict=True)):
            bare["content"] = inner
    return value if len(bare) == len(value) and bare.get("content") is content else bare


def _is_message(path: Sequence[str | int]) -> bool:
    return len(path) == 2 and path[0] == "messages"


def put_back(body: dict[str, Any], marks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The body with its marks. Paths that lead nowhere are left alone."""
    for mark in marks:
        path = mark.get("path")
        if isinstance(path, list) and path:
            body = _with(body, path, mark.get("value"))
    return body


def _with(value: Any, path: Sequence[str | int], mark: Any) -> Any:
    if not path:
        return {**value, KEY: mark} if isinstance(value, Mapping) else value
    step, rest = path[0], path[1:]
    if isinstance(value, Mapping) and step in value:
        return {**value, step: _with(value[step], rest, mark)}
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return [*value[:step], _with(value[step], rest, mark), *value[step + 1 :]]
    return value
