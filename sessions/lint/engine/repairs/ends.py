"""Removes empty messages, puts a user message first, and ends the conversation as the model accepts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sessions.lint.engine.repairs.draft import Draft
from sessions.lint.engine.request_reader import BlockSpot, MessageRow
from sessions.lint.engine.rules.roles import begins_with_answer, ends_blank, is_prefill
from sessions.transcripts.engine.messages import text_block
from sessions.usage.engine.model_facts import ModelFacts

OPENING = "[the beginning of this conversation was left out]"


def repair_empty(draft: Draft, may_be_empty: Callable[[MessageRow], bool]) -> None:
    last = draft.rows[-1] if draft.rows else None
    rows = []
    for row in draft.rows:
        was_empty = not draft.original_spots.get(row.index, [True])
        optional = was_empty and (may_be_empty(row) or (row is last and row.role == "assistant"))
        if row.spots or optional:
            rows.append(row)
        elif was_empty:
            draft.note(f"messages[{row.index}]", "Left out a message.", "It is empty.")
    draft.rows = rows


def repair_beginning(draft: Draft) -> None:
    sections = draft.sections
    if sections and not begins_with_answer(sections[0]):
        return
    index = draft.rows.index(sections[0][0]) if sections else len(draft.rows)
    draft.rows.insert(index, MessageRow("user", [BlockSpot(0, None, text_block(OPENING))], -1))
    draft.note("messages[0]", "Put a user message first.", "A conversation cannot begin with an answer.")


def repair_end(draft: Draft, facts: ModelFacts | None) -> None:
    sections = draft.sections
    if not facts or not sections or not is_prefill(sections[-1]):
        return
    if facts.prefill is False:
        for row in sections[-1]:
            draft.rows.remove(row)
            draft.note(f"messages[{row.index}]", "Left out the last answer.", "This model does not continue an answer.")
    elif facts.prefill and ends_blank(sections[-1]):
        row = sections[-1][-1]
        spot = row.spots[-1]
        row.spots[-1] = replace(spot, block={**spot.block, "text": spot.block["text"].rstrip()})
        draft.note(spot.path, "Cut off blanks at the end.", "The beginning of an answer cannot end with them.")
