"""Formats a value as indented text similar to JSON, with limits for depth and length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sessions.timeline.engine.cards.safe_get import as_word

_DEPTH = 12
_ITEMS = 2_000


def format_value(value: Any, chars: int) -> str:
    """The start of the value, about `chars` characters at most."""
    pieces: list[str] = []
    length = 0
    for piece in _format_pieces(value, 0, chars):
        pieces.append(piece)
        length += len(piece)
        if length > chars:
            pieces.append("…")
            break
    return "".join(pieces)


def _format_pieces(value: Any, depth: int, chars: int) -> Iterator[str]:
    if isinstance(value, str):
        yield f'"{value[:chars]}"' if depth else value[: chars + 1]
    elif isinstance(value, dict | list) and value:
        if depth >= _DEPTH:
            yield "{…}" if isinstance(value, dict) else "[…]"
            return
        yield from _format_container(value, depth, chars)
    elif isinstance(value, dict | list):
        yield "{}" if isinstance(value, dict) else "[]"
    else:
        yield _scalar(value)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return as_word(value) or "a number too large to show"


def _format_container(value: dict[Any, Any] | list[Any], depth: int, chars: int) -> Iterator[str]:
    indent = "  " * (depth + 1)
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    yield opening
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for number, (key, inner) in enumerate(islice(entries, _ITEMS)):
        yield ",\n" if number else "\n"
        yield f"{indent}{str(key)[:200]}: " if isinstance(value, dict) else indent
        yield from _format_pieces(inner, depth + 1, chars)
    if len(value) > _ITEMS:
        yield f",\n{indent}…"
    yield f"\n{'  ' * depth}{closing}"
