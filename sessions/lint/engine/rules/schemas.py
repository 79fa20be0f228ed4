"""Typical faults of generated tool schemas. This is not a complete validator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LISTED = ("oneOf", "anyOf", "allOf", "prefixItems")
_MAX_DEPTH = 100
"""A schema nested more deeply is refused for other reasons."""


@dataclass(frozen=True, slots=True)
class Flaw:
    path: str
    """The path within the schema, like `.properties.name`."""
    message: str


def find_flaw(schema: object, path: str = "", depth: int = 0) -> Flaw | None:
    """The first fault of a schema, or None."""
    if isinstance(schema, bool) or depth > _MAX_DEPTH:
        return None
    if not isinstance(schema, Mapping):
        return Flaw(path, "A schema has to be an object.")
    if (flaw := _own_flaw(schema, path)) is not None:
        return flaw
    inner = (find_flaw(nested, f"{path}.{name}", depth + 1) for name, nested in _inner_schemas(schema))
    return next((flaw for flaw in inner if flaw is not None), None)


def _own_flaw(schema: Mapping[str, Any], path: str) -> Flaw | None:
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


def _inner_schemas(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((key, schema[key]) for key in _SINGLE if key in schema)
    yield from ((f"{key}.{name}", inner) for key in _NAMED if key in schema for name, inner in schema[key].items())
    yield from (
        (f"{key}[{index}]", inner) for key in _LISTED if key in schema for index, inner in enumerate(schema[key])
    )


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and len(set(value)) == len(value)


def _are_types(value: object) -> bool:
    types = value if isinstance(value, list) else [value]
    return bool(types) and all(isinstance(item, str) and item in TYPES for item in types)
