"""Whether the schema of a tool is one: the faults that generated schemas have, not a whole validator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LISTED = ("oneOf", "anyOf", "allOf", "prefixItems")
_DEEPEST = 100
"""Further down nobody looks; a schema that deep is refused for other reasons."""


@dataclass(frozen=True, slots=True)
class Flaw:
    path: str
    """From the schema on, like `.properties.name`."""
    what: str


def flaw_of(schema: object, path: str = "", depth: int = 0) -> Flaw | None:
    """The first thing that no schema may have; None if none was found."""
    if isinstance(schema, bool) or depth > _DEEPEST:
        return None
    if not isinstance(schema, Mapping):
        return Flaw(path, "A schema has to be an object.")
    if (flaw := _own(schema, path)) is not None:
        return flaw
    inner = (flaw_of(one, f"{path}.{where}", depth + 1) for where, one in _inner(schema))
    return next((flaw for flaw in inner if flaw is not None), None)


def _own(schema: Mapping[str, Any], path: str) -> Flaw | None:
    for key in _NAMED:
        if key in schema and not isinstance(schema[key], Mapping):
            return Flaw(f"{path}.{key}", f"{key} has to be an object of schemas.")
    for key in _LISTED:
        if key in schema and (not isinstance(schema[key], list) or not schema[key]):
            return Flaw(f"{path}.{key}", f"{key} has to be a list of schemas.")
    if "required" in schema and not _are_names(schema["required"]):
        return Flaw(f"{path}.required", "required has to be a list of names, each of them once.")
    if "enum" in schema and not isinstance(schema["enum"], list):
        return Flaw(f"{path}.enum", "enum has to be a list of values.")
    if "type" in schema and not _are_types(schema["type"]):
        return Flaw(f"{path}.type", f"There is no type {str(schema['type'])[:80]!r}.")
    return None


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((key, schema[key]) for key in _SINGLE if key in schema)
    yield from ((f"{key}.{name}", one) for key in _NAMED if key in schema for name, one in schema[key].items())
    yield from ((f"{key}[{at}]", one) for key in _LISTED if key in schema for at, one in enumerate(schema[key]))


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value) and len(set(value)) == len(value)


def _are_types(value: object) -> bool:
    types = value if isinstance(value, list) else [value]
    return bool(types) and all(isinstance(one, str) and one in TYPES for one in types)
