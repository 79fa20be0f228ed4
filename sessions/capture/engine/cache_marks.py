"""Separates cache marks from contents, so that a message with and without its mark is stored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KEY = "cache_control"
Mark = dict[str, Any]
"""`{"path": ["messages", 3, "content", 0], "value": {"type": "ephemeral"}}`, as the client logs it itself."""


def remove_marks(value: Any, path: Sequence[str | int], marks: list[Mark]) -> Any:
    """A system block, tool or message without its marks, which are added to `marks`; the same object if it has none.

    Inputs of tool calls are data and stay as they are."""
    if not isinstance(value, Mapping):
        return value
    bare = dict(value)
    if KEY in bare and not _is_message(path):
        marks.append({"path": list(path), "value": bare.pop(KEY)})
    content = bare.get("content")
    if isinstance(content, list) and (_is_message(path) or bare.get("type") == "tool_result"):
        inner = [remove_marks(item, [*path, "content", index], marks) for index, item in enumerate(content)]
        if any(new is not old for new, old in zip(inner, content, strict=True)):
            bare["content"] = inner
    return value if len(bare) == len(value) and bare.get("content") is content else bare


def _is_message(path: Sequence[str | int]) -> bool:
    return len(path) == 2 and path[0] == "messages"


def restore_marks(body: dict[str, Any], marks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The body with its marks. Paths that do not exist are ignored."""
    for mark in marks:
        path = mark.get("path")
        if isinstance(path, list) and path:
            body = _add_mark(body, path, mark.get("value"))
    return body


def _add_mark(value: Any, path: Sequence[str | int], mark: Any) -> Any:
    if not path:
        return {**value, KEY: mark} if isinstance(value, Mapping) else value
    step, rest = path[0], path[1:]
    if isinstance(value, Mapping) and step in value:
        return {**value, step: _add_mark(value[step], rest, mark)}
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return [*value[:step], _add_mark(value[step], rest, mark), *value[step + 1 :]]
    return value
