"""A value as indented text that reads like JSON, bounded in depth and length whatever the value is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sessions.timeline.engine.cards.safe_get import word

_DEPTH = 12
_ITEMS = 2_000


def pretty(value: Any, chars: int) -> str:
    """The start of the value: at most about `chars` characters."""
    pieces: list[str] = []
    length = 0
    for piece in _walk(value, 0, chars):
        pieces.append(piece)
        length += len(piece)
        if length > chars:
            pieces.append("…")
            break
    return "".join(pieces)


def _walk(value: Any, depth: int, chars: int) -> Iterator[str]:
    if isinstance(value, str):
        yield f'"{value[:chars]}"' if depth else value[: chars + 1]
    elif isinstance(value, dict | list) and value:
        if depth >= _DEPTH:
            yield "{…}" if isinstance(value, dict) else "[…]"
            return
        yield from _inside(value, depth, chars)
    elif isinstance(value, dict | list):
        yield "{}" if isinstance(value, dict) else "[]"
    else:
        yield _scalar(value)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return word(value) or "a number too large to show"


def _inside(value: dict[Any, Any] | list[Any], depth: int, chars: int) -> Iterator[str]:
    indent = "  " * (depth + 1)
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    yield opening
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for number, (key, inner) in enumerate(islice(entries, _ITEMS)):
        yield ",\n" if number else "\n"
        yield f"{indent}{str(key)[:200]}: " if isinstance(value, dict) else indent
        yield from _walk(inner, depth + 1, chars)
    if len(value) > _ITEMS:
        yield f",\n{indent}…"
    yield f"\n{'  ' * depth}{closing}"
