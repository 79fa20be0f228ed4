"""A tool call and its result as one card, or a result alone if its call is elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.badges import badges_of, fate_badge
from sessions.timeline.engine.cards.card import Badge, Card, CardKind, Output, Part, Pictures, Spill
from sessions.timeline.engine.cards.draft import make_card
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_text
from sessions.timeline.engine.cards.tool_results import ToolResult, find_result
from sessions.timeline.engine.cards.tools import Call, describe_call
from sessions.timeline.engine.cards.tools.call import drop_empty
from sessions.timeline.engine.cards.tools.other import pair_parts
from sessions.transcripts.engine.marks import Fate
from sessions.transcripts.engine.rows import Row

DAMAGED_RESULT = ("its result is damaged in the archive",)
_EXIT = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,10})(?:\n|\Z)")


def call_card(row: Row, block: dict[str, Any], result_row: Row | None, lens: Lens, *, waiting: bool = False) -> Card:
    """The card of one tool_use block. `waiting`: nothing follows it yet, so its result may still come."""
    tool_use_id = as_text(block.get("id"))
    result = find_result(result_row, tool_use_id, lens.results) if result_row else None
    arguments = block.get("input")
    call = Call(as_text(block.get("name")), as_dict(arguments), result)
    description = describe_call(call, lens)
    # An input that is no object has no names to show it by.
    unnamed = () if isinstance(arguments, dict) else pair_parts({"input": arguments}, lens)
    # Parts first: making them fills the tally that make_card reads.
    parts = (*unnamed, *description.parts, *_result_parts(result, tool_use_id, lens))
    title = lens.line(description.title or call.name, 80) or "unnamed tool"
    facts = (
        *description.facts,
        *(DAMAGED_RESULT if result_row and result_row.damage else _result_facts(result, lens, waiting=waiting)),
    )
    return replace(
        make_card(CardKind.TOOL, row, lens, title, description.summary, facts=facts, parts=parts),
        marks=_marks(row, result),
        rows=(row.position, *((result_row.position,) if result_row else ())),
        error=bool(result and result.error),
        folded=description.folded
        and bool(parts)
        and not isinstance(parts[-1], Pictures | Spill)
        and not call.has_failed,
        agent_id=description.agent_id,
        tool_use_id=tool_use_id,
    )


def result_card(row: Row, tool_use_id: str, lens: Lens) -> Card | None:
    result = find_result(row, tool_use_id, lens.results)
    if result is None:
        return None
    source = as_text(row.record.get("sourceToolAssistantUUID")) or as_text(row.record.get("parentUuid"))
    body = () if result.error else lens.output(result.text, OUTPUT)
    parts = (*body, *_result_parts(result, tool_use_id, lens))
    facts = _result_facts(result, lens, waiting=False)
    return replace(
        make_card(CardKind.RESULT, row, lens, "Result", lens.line(tool_use_id, 60), facts=facts, parts=parts),
        marks=_marks(row, result),
        error=result.error,
        tool_use_id=tool_use_id,
        call_address=source,
    )


def _result_facts(result: ToolResult | None, lens: Lens, *, waiting: bool) -> tuple[str, ...]:
    if result is None:
        return ("no result yet",) if waiting else ("no result recorded",)
    code = _EXIT.match(result.text) if result.error else None
    return drop_empty(
        f"exit {code[1]}" if code else "",
        f"denied: {lens.line(result.denial, 40)}" if result.denial else "",
        plural(result.documents, "document") if result.documents else "",
    )


def _result_parts(result: ToolResult | None, tool_use_id: str, lens: Lens) -> tuple[Part, ...]:
    """The parts that the result of any tool may have: an error, images, output on disk, cleared output."""
    if result is None:
        return ()
    parts: list[Part] = []
    if result.error:
        parts += lens.output(_EXIT.sub("", result.text, count=1), BRIEF, "bad")
        if not parts:
            parts.append(Output("failed without a message", "bad"))
    if images := lens.results.pictures(result.row, tool_use_id):
        parts.append(Pictures(images))
    if result.spill:
        parts.append(result.spill)
    if result.cleared and not result.text:
        parts.append(Output("cleared; this record does not hold the original", "dim"))
    return tuple(parts)


def _marks(row: Row, result: ToolResult | None) -> tuple[Badge, ...]:
    marks = badges_of(row, result.row) if result and result.row is not row else badges_of(row)
    fates = {mark.fate for mark in marks}
    if result and result.spill and Fate.PERSISTED not in fates:
        marks += (fate_badge(Fate.PERSISTED),)
    if result and result.cleared and result.text and Fate.CLEARED not in fates:
        marks += (fate_badge(Fate.CLEARED),)
    return marks
