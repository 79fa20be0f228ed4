"""Half a character: JavaScript cuts texts between the halves of one, and the API cannot read what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request


def check(request: Request) -> Iterator[Finding]:
    """Costs a walk over every text: ask only about a body that cannot be written."""
    for path, part in _parts(request):
        if is_broken(part):
            yield Finding(
                "half-character",
                Severity.REFUSED,
                path,
                "A text holds one half of a character that is written as two: it was cut in between.",
                "Put U+FFFD in its place.",
                "The request body is not valid JSON: no low surrogate in string",
            )


def is_broken(value: object) -> bool:
    """However deep: inputs of calls can be nested beyond what recursion reaches."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if not one.isascii() and _is_half(one):
                return True
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one
    return False


def whole(value: Any) -> Any:
    """The same value with U+FFFD for every half. Raises RecursionError for what is nested too deeply."""
    if isinstance(value, str):
        # Read back as UTF-16, halves that belong together are one character again.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _is_half(value) else value
    if isinstance(value, Mapping):
        return {whole(key): whole(inner) for key, inner in value.items()}
    return [whole(inner) for inner in value] if isinstance(value, list | tuple) else value


def _is_half(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _parts(request: Request) -> Iterator[tuple[str, Any]]:
    for name in ("system", "tools"):
        parts = request.body.get(name)
        yield from ((f"{name}[{at}]", part) for at, part in enumerate(parts if isinstance(parts, list) else []))
        if isinstance(parts, str):
            yield name, parts
    yield from ((spot.path, spot.block) for spot in request.spots)
