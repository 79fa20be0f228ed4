from __future__ import annotations

from typing import Any

import pytest

from tests.sessions.lint.engine.bodies import body, lint, only, places, user

SCHEMA = {"type": "object", "properties": {}}


def tool(name: Any, schema: Any = SCHEMA, **more: Any) -> dict[str, Any]:
    return {"name": name, "input_schema": schema, **more}


def request(*tools: Any, **more: Any) -> dict[str, Any]:
    return body(user("go"), tools=list(tools), **more)


def test_good_tools_are_fine() -> None:
    server = {"type": "web_search_20250305", "name": "web_search"}
    assert lint(request(tool("Read"), tool("mcp__tide-gauge__read"), tool("x" * 128, type="custom"), server)) == []


@pytest.mark.parametrize("name", ["", "a b", "service.do", "x" * 129, "höhe", None, 3])
def test_a_name_has_a_pattern(name: Any) -> None:
    finding = only(request(tool("Read"), tool(name)))
    assert finding.path == "tools[1].name"
    assert finding.api_error == "tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"


def test_names_are_unique_among_all_tools() -> None:
    finding = only(request(tool("web_search"), {"type": "web_search_20250305", "name": "web_search"}))
    assert (finding.path, finding.api_error) == ("tools[1].name", "tools: Tool names must be unique.")


@pytest.mark.parametrize(
    ("schema", "path", "error"),
    [
        (None, "tools[0].input_schema", "input_schema: Field required"),
        ({}, "tools[0].input_schema.type", "input_schema.type: Field required"),
        ({"type": "string"}, "tools[0].input_schema.type", "Input should be 'object'"),
        ({"type": "object", "anyOf": []}, "tools[0].input_schema", "does not support oneOf, allOf, or anyOf"),
    ],
)
def test_the_schema_describes_an_object(schema: Any, path: str, error: str) -> None:
    finding = only(request(tool("Read", schema)))
    assert finding.path == path
    assert error in finding.api_error


def test_some_tool_is_there_from_the_beginning() -> None:
    assert lint(request(tool("Read"), tool("Grep", defer_loading=True))) == []
    finding = only(request(tool("Read", defer_loading=True), tool("Grep", defer_loading=True)))
    assert (finding.path, finding.api_error[:31]) == ("tools", "At least one tool must have def")


def test_the_chosen_tool_is_there() -> None:
    finding = only(request(tool("Read"), tool_choice={"type": "tool", "name": "Write"}))
    assert finding.path == "tool_choice.name"
    assert "Tool 'Write' not found" in finding.api_error


def test_tools_are_a_list_of_objects() -> None:
    assert places(body(user("go"), tools={})) == [("tools", "tools")]
    assert places(request("Read")) == [("tools", "tools[0]")]


@pytest.mark.parametrize("key", ["filter[name]", "a b", "$top", "x" * 65, ""])
def test_a_property_at_the_top_has_a_plain_name(key: str) -> None:
    finding = only(request(tool("Read", {"type": "object", "properties": {key: {"type": "string"}}})))
    assert finding.path == "tools[0].input_schema.properties"
    assert finding.api_error == (
        "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
    )


def test_further_down_names_are_free() -> None:
    inner = {"type": "object", "properties": {"filter[name]": {"type": "string"}}}
    assert lint(request(tool("Read", {"type": "object", "properties": {"x" * 64: inner}}))) == []


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"properties": []}, ".properties"),
        ({"properties": {"path": "string"}}, ".properties.path"),
        ({"properties": {"path": {"type": "text"}}}, ".properties.path.type"),
        ({"properties": {"paths": {"type": "array", "items": [{"type": "string"}]}}}, ".properties.paths.items"),
        ({"properties": {"path": {"anyOf": []}}}, ".properties.path.anyOf"),
        ({"properties": {"path": {"enum": "a"}}}, ".properties.path.enum"),
        ({"required": "path"}, ".required"),
        ({"required": ["path", "path"]}, ".required"),
    ],
)
def test_a_schema_is_one(schema: dict[str, Any], path: str) -> None:
    finding = only(request(tool("Read", {"type": "object", **schema})))
    assert finding.path == f"tools[0].input_schema{path}"
    assert finding.api_error.startswith("tools.0.custom.input_schema: JSON schema is invalid.")


def test_all_kinds_of_schemas_are_fine() -> None:
    schema = {
        "type": "object",
        "$defs": {"place": {"type": ["string", "null"]}, "any": True},
        "properties": {"at": {"$ref": "#/$defs/place"}, "how": {"oneOf": [{"const": 1}, {"enum": ["a"]}]}},
        "required": ["at"],
        "additionalProperties": False,
    }
    assert lint(request(tool("Read", schema))) == []


def test_without_tools_none_can_be_forced() -> None:
    assert only(body(user("go"), tool_choice={"type": "any"})).api_error == (
        "tool_choice.any may only be specified while providing tools"
    )
    assert only(body(user("go"), tool_choice={"type": "tool", "name": "Read"})).api_error == (
        "Tool 'Read' not found in provided tools"
    )
    assert lint(body(user("go"), tool_choice={"type": "auto"})) == []
