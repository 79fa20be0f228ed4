"""Half characters: JavaScript can cut a text between two surrogates, and the API cannot read what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest


def check(request: ParsedRequest) -> Iterator[Finding]:
    """This walks over every text: call it only for a body that cannot be written as JSON."""
    for path, part in _parts(request):
        if has_half_character(part):
            yield Finding(
                "half-character",
                Severity.REFUSED,
                path,
                "A text holds one half of a character that is written as two: it was cut in between.",
                "Put U+FFFD in its place.",
                "The request body is not valid JSON: no low surrogate in string",
            )


def has_half_character(value: object) -> bool:
    """Does any text hold half a character? Inputs may be nested too deeply for recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if not item.isascii() and _is_half(item):
                return True
        elif isinstance(item, Mapping):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple):
            waiting += item
    return False


def replace_halves(value: Any) -> Any:
    """The same value with U+FFFD for each half character. Raises RecursionError if it is nested too deeply."""
    if isinstance(value, str):
        # Decoding UTF-16 joins halves that belong together.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _is_half(value) else value
    if isinstance(value, Mapping):
        return {replace_halves(key): replace_halves(inner) for key, inner in value.items()}
    return [replace_halves(inner) for inner in value] if isinstance(value, list | tuple) else value


def _is_half(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _parts(request: ParsedRequest) -> Iterator[tuple[str, Any]]:
    for name in ("system", "tools"):
        parts = request.body.get(name)
        yield from ((f"{name}[{index}]", part) for index, part in enumerate(parts if isinstance(parts, list) else []))
        if isinstance(parts, str):
            yield name, parts
    yield from ((spot.path, spot.block) for spot in request.spots)
