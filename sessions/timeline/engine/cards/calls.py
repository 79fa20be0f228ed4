"""A tool call and its result as one card; a result whose call is elsewhere as a card of its own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.badges import badge, badges
from sessions.timeline.engine.cards.card import (
    Badge,
    Card,
    Kind,
    Output,
    Part,
    Pictures,
    Spill,
)
from sessions.timeline.engine.cards.draft import draft
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.outcome import Outcome, outcome
from sessions.timeline.engine.cards.safe_get import table, text
from sessions.timeline.engine.cards.tools import Call, sketch
from sessions.timeline.engine.cards.tools.call import known
from sessions.timeline.engine.cards.tools.other import pairs
from sessions.transcripts.engine.marks import Fate
from sessions.transcripts.engine.rows import Row

LOST = ("its result is damaged in the archive",)
_EXIT = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,10})(?:\n|\Z)")


def call_card(row: Row, block: dict[str, Any], result: Row | None, lens: Lens, *, waiting: bool = False) -> Card:
    """The card of one tool_use block. `waiting`: nothing follows it yet, so its result may still come."""
    tool_use_id = text(block.get("id"))
    found = outcome(result, tool_use_id, lens.results) if result else None
    given = block.get("input")
    call = Call(text(block.get("name")), table(given), found)
    drawn = sketch(call, lens)
    # An input that is no table has no names to show it by.
    odd = () if isinstance(given, dict) else pairs({"input": given}, lens)
    # Parts first: drawing them fills the tally that the draft reads.
    parts = (*odd, *drawn.parts, *_rest(found, tool_use_id, lens))
    title = lens.line(drawn.title or call.name, 80) or "unnamed tool"
    facts = (*drawn.facts, *(LOST if result and result.damage else _state(found, lens, waiting=waiting)))
    return replace(
        draft(Kind.TOOL, row, lens, title, drawn.summary, facts=facts, parts=parts),
        marks=_marks(row, found),
        rows=(row.position, *((result.position,) if result else ())),
        error=bool(found and found.error),
        folded=drawn.folded and bool(parts) and not isinstance(parts[-1], Pictures | Spill) and not call.failed,
        agent_id=drawn.agent_id,
        tool_use_id=tool_use_id,
        spilled=found.spill.name if found and found.spill else "",
    )


def result_card(row: Row, tool_use_id: str, lens: Lens) -> Card | None:
    found = outcome(row, tool_use_id, lens.results)
    if found is None:
        return None
    source = text(row.record.get("sourceToolAssistantUUID")) or text(row.record.get("parentUuid"))
    body = () if found.error else lens.output(found.text, OUTPUT)
    parts = (*body, *_rest(found, tool_use_id, lens))
    facts = _state(found, lens, waiting=False)
    return replace(
        draft(Kind.RESULT, row, lens, "Result", lens.line(tool_use_id, 60), facts=facts, parts=parts),
        marks=_marks(row, found),
        error=found.error,
        tool_use_id=tool_use_id,
        call=source,
        spilled=found.spill.name if found.spill else "",
    )


def _state(found: Outcome | None, lens: Lens, *, waiting: bool) -> tuple[str, ...]:
    if found is None:
        return ("no result yet",) if waiting else ("no result recorded",)
    code = _EXIT.match(found.text) if found.error else None
    return known(
        f"exit {code[1]}" if code else "",
        f"denied: {lens.line(found.denial, 40)}" if found.denial else "",
        plural(found.documents, "document") if found.documents else "",
    )


def _rest(found: Outcome | None, tool_use_id: str, lens: Lens) -> tuple[Part, ...]:
    """What every tool's result may have: an error, images, output on disk, cleared output."""
    if found is None:
        return ()
    parts: list[Part] = []
    if found.error:
        parts += lens.output(_EXIT.sub("", found.text, count=1), BRIEF, "bad")
        if not parts:
            parts.append(Output("failed without a message", "bad"))
    if images := lens.results.pictures(found.row, tool_use_id):
        parts.append(Pictures(images))
    if found.spill:
        parts.append(found.spill)
    if found.cleared and not found.text:
        parts.append(Output("cleared; this record does not hold the original", "dim"))
    return tuple(parts)


def _marks(row: Row, found: Outcome | None) -> tuple[Badge, ...]:
    marks = badges(row, found.row) if found and found.row is not row else badges(row)
    fates = {mark.fate for mark in marks}
    if found and found.spill and Fate.PERSISTED not in fates:
        marks += (badge(Fate.PERSISTED),)
    if found and found.cleared and found.text and Fate.CLEARED not in fates:
        marks += (badge(Fate.CLEARED),)
    return marks
