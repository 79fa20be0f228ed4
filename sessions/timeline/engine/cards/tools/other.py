"""Tools without a description of their own, such as MCP tools: the input by name, and the result."""

from __future__ import annotations

import re
from typing import Any

from sessions.secrets.engine.structure import mask_named_values
from sessions.timeline.engine.cards.card import Pairs, Part
from sessions.timeline.engine.cards.lens import CEILING, OUTPUT, VALUE, Lens, Limit
from sessions.timeline.engine.cards.safe_get import as_text
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, drop_empty
from sessions.timeline.engine.cards.value_text import format_value

_MCP = re.compile(r"mcp__(.+?)__(.+)\Z", re.DOTALL)
_SUMMARY_KEYS = (
    "description",
    "query",
    "url",
    "path",
    "file_path",
    "filePath",
    "command",
    "name",
    "title",
    "action",
    "id",
)
_SHOWN = 8


def describe_other(call: Call, lens: Lens) -> CallDescription:
    mcp = _MCP.match(call.name)
    summary_key = next((key for key in _SUMMARY_KEYS if as_text(call.input.get(key))), "")
    rest = {key: value for key, value in call.input.items() if key != summary_key or "\n" in value}
    return CallDescription(
        title=f"{mcp[1]} · {mcp[2]}" if mcp else "",
        summary=lens.line(call.input_text(summary_key)) if summary_key else "",
        facts=drop_empty("MCP" if mcp else ""),
        parts=(*pair_parts(rest, lens), *lens.output(call.text or _structured_text(call), OUTPUT)),
    )


def _structured_text(call: Call) -> str:
    return format_value(call.facts, 4_000) if call.has_succeeded and call.facts else ""


def pair_parts(values: dict[str, Any], lens: Lens, limit: Limit = VALUE) -> tuple[Part, ...]:
    """Named values as text; long ones are cut."""
    displayed = list(mask_named_values(values).items())[: lens.item_limit(_SHOWN)]
    if len(values) > len(displayed):
        lens.tally.cut = True
    budget = CEILING if lens.whole else 4_000
    rows = tuple(
        (lens.line(key, 60), lens.block(value if isinstance(value, str) else format_value(value, budget), limit))
        for key, value in displayed
    )
    return (Pairs(rows),) if rows else ()
