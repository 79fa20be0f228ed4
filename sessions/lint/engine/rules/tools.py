"""Tool definitions and `tool_choice`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest
from sessions.lint.engine.rules.pairing import NAME

TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LISTED = ("oneOf", "anyOf", "allOf", "prefixItems")
_MAX_DEPTH = 100
"""A schema nested more deeply is refused for other reasons."""
_COMBINED = ("oneOf", "allOf", "anyOf")
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def check(request: ParsedRequest) -> Iterator[Finding]:
    tools = request.body.get("tools")
    if tools is None:
        yield from _check_choice(request, set())
        return
    if not isinstance(tools, list):
        yield _refusal("tools", "The tools have to be a list.", "Write them as a list.")
        return
    names: set[str] = set()
    for index, tool in enumerate(tools):
        path = f"tools[{index}]"
        if not isinstance(tool, Mapping):
            yield _refusal(path, "A tool has to be an object.", "Describe it with a name and an input_schema.")
            continue
        if tool.get("type") in (None, "custom"):
            yield from _check_tool(path, f"tools.{index}.custom", tool)
        name = tool.get("name")
        if isinstance(name, str) and name in names:
            yield _refusal(
                f"{path}.name",
                f"There are several tools named {name}.",
                "Rename one of them.",
                "tools: Tool names must be unique.",
            )
        names |= {name} if isinstance(name, str) else set()
    if tools and all(isinstance(tool, Mapping) and is_deferred(tool) for tool in tools):
        yield _refusal(
            "tools",
            "Every tool is loaded on demand, so there is none to look for them with.",
            "Let one of them be there from the beginning.",
            "At least one tool must have defer_loading=false. All tools cannot be deferred.",
        )
    yield from _check_choice(request, names)


def is_deferred(tool: Mapping[str, Any]) -> bool:
    """Is the tool loaded on demand? Until then it is no part of the prompt."""
    return tool.get("defer_loading") is True


def _check_tool(path: str, api_path: str, tool: Mapping[str, Any]) -> Iterator[Finding]:
    name, schema = tool.get("name"), tool.get("input_schema")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        yield _refusal(
            f"{path}.name",
            "A tool's name is 1 to 128 letters, digits, - and _.",
            "Rename the tool.",
            f"{api_path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
        )
    if not isinstance(schema, Mapping):
        words = f"{api_path}.input_schema: Field required"
        yield _refusal(f"{path}.input_schema", "The tool has no schema of its input.", "Add one.", words)
    else:
        yield from _check_schema(path, api_path, schema)


def _check_schema(path: str, api_path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    if schema.get("type") != "object":
        words = "Input should be 'object'" if "type" in schema else "Field required"
        yield _refusal(
            f"{path}.input_schema.type",
            "The input of a tool has to be an object.",
            'Let the schema have "type": "object".',
            f"{api_path}.input_schema.type: {words}",
        )
    if any(key in schema for key in _COMBINED):
        yield _refusal(
            f"{path}.input_schema",
            "The schema combines others at its top level.",
            "Put oneOf, allOf and anyOf inside of a property.",
            f"{api_path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
        )

        return
    yield from _check_properties(path, api_path, schema)
    if (flaw := find_flaw(schema)) is not None:
        yield _refusal(
            f"{path}.input_schema{flaw.path}",
            flaw.message,
            "Write the schema as JSON Schema of the draft 2020-12.",
            f"{api_path}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12).",
        )


def _check_properties(path: str, api_path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    """The API checks only the names at the top level."""
    properties = schema.get("properties")
    for key in properties if isinstance(properties, Mapping) else ():
        if not _KEY.fullmatch(str(key)):
            yield _refusal(
                f"{path}.input_schema.properties",
                f"A property is called {str(key)[:80]!r}; 1 to 64 letters, digits, _, . and - are allowed.",
                "Rename the property.",
                f"{api_path}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'",
            )
            return


def _check_choice(request: ParsedRequest, names: set[str]) -> Iterator[Finding]:
    choice = request.body.get("tool_choice")
    if isinstance(choice, Mapping) and choice.get("type") == "any" and not request.body.get("tools"):
        yield _refusal(
            "tool_choice",
            "Some tool must be called, and there is none.",
            "Add tools, or leave tool_choice out.",
            "tool_choice.any may only be specified while providing tools",
        )
    if isinstance(choice, Mapping) and choice.get("type") == "tool" and choice.get("name") not in names:
        yield _refusal(
            "tool_choice.name",
            "The tool that must be called is not among the tools.",
            "Add the tool, or choose another.",
            f"Tool '{choice.get('name')}' not found in provided tools",
        )


def _refusal(path: str, message: str, repair: str, api_error: str = "") -> Finding:
    return Finding("tools", Severity.REFUSED, path, message, repair, api_error)


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
