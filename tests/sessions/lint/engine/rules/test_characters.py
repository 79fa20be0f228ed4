from __future__ import annotations

import json
from typing import Any

import pytest

from sessions.lint.engine import repair
from tests.sessions.lint.engine.bodies import assistant, body, call, lint, only, places, result, text, user


def test_half_a_character_cannot_be_read() -> None:
    finding = only(body(user("high water \ud83c")))
    assert (finding.rule, finding.path) == ("half-character", "messages[0].content[0]")
    assert finding.api_error == "The request body is not valid JSON: no low surrogate in string"
    assert lint(body(user("high water \N{WATER WAVE}"))) == []


def test_it_is_found_wherever_it_stands() -> None:
    request = body(
        user("go"),
        assistant(call("a", input={"paths": ["\udc00"]})),
        user(result("a", [text("\ud800")])),
        system="\ud800",
        tools=[{"name": "Read", "description": "\ud800", "input_schema": {"type": "object"}}],
    )
    assert places(request) == [
        ("half-character", path) for path in ("system", "tools[0]", "messages[1].content[0]", "messages[2].content[0]")
    ]


def test_such_a_body_is_still_weighed() -> None:
    rules = [finding.rule for finding in lint(body(user("\ud800" + "x" * (32 * 1024 * 1024))))]
    assert rules == ["half-character", "too-large"]


def test_a_repair_puts_a_whole_one_in_its_place() -> None:
    array: list[Any] = [user("a \ud83c b", "\N{WATER WAVE}")]
    repaired, repairs = repair(array)
    assert repaired == [user("a \N{REPLACEMENT CHARACTER} b", "\N{WATER WAVE}")]
    assert [item.path for item in repairs] == ["messages[0].content[0]"]


@pytest.mark.parametrize("end", ["1", '"\\ud800"'])
def test_deep_inputs_are_no_trouble(end: str) -> None:
    deep = json.loads('{"x":' * 900 + end + "}" * 900)
    request = body(user("go"), assistant(call("a", input=deep)), user(result("a")))
    assert places(request) == ([] if end == "1" else [("half-character", "messages[1].content[0]")])
    repair(request["messages"])
