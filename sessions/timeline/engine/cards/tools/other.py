"""Any tool without a sketch of its own, MCP tools among them: its input by name, and what came back."""

from __future__ import annotations

import re
from typing import Any

from sessions.secrets.engine.structure import mask_named_values
from sessions.timeline.engine.cards.card import Pairs, Part
from sessions.timeline.engine.cards.lens import (
    CEILING,
    OUTPUT,
    VALUE,
    Lens,
    Limit,
)
from sessions.timeline.engine.cards.raw import pretty
from sessions.timeline.engine.cards.safe_get import text
from sessions.timeline.engine.cards.tools.call import Call, Sketch, known

_MCP = re.compile(r"mcp__(.+?)__(.+)\Z", re.DOTALL)
_TELLING = ("description", "query", "url", "path", "file_path", "filePath", "command", "name", "title", "action", "id")
_SHOWN = 8


def other(call: Call, lens: Lens) -> Sketch:
    mcp = _MCP.match(call.name)
    telling = next((key for key in _TELLING if text(call.input.get(key))), "")
    rest = {key: value for key, value in call.input.items() if key != telling or "\n" in value}
    return Sketch(
        title=f"{mcp[1]} · {mcp[2]}" if mcp else "",
        summary=lens.line(call.given(telling)) if telling else "",
        facts=known("MCP" if mcp else ""),
        parts=(*pairs(rest, lens), *lens.output(call.text or _structured(call), OUTPUT)),
    )


def _structured(call: Call) -> str:
    return pretty(call.facts, 4_000) if call.ok and call.facts else ""


def pairs(values: dict[str, Any], lens: Lens, limit: Limit = VALUE) -> tuple[Part, ...]:
    """Named values, each as text, the long ones cut."""
    shown = list(mask_named_values(values).items())[: lens.few(_SHOWN)]
    if len(values) > len(shown):
        lens.tally.cut = True
    budget = CEILING if lens.whole else 4_000
    rows = tuple(
        (lens.line(key, 60), lens.block(value if isinstance(value, str) else pretty(value, budget), limit))
        for key, value in shown
    )
    return (Pairs(rows),) if rows else ()
