"""Empty messages go, a user message comes first, and the end is what the model takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sessions.lint.engine.mending.draft import Draft
from sessions.lint.engine.reading import Row, Spot
from sessions.lint.engine.rules.roles import begins_wrongly, ends_blank, is_prefill
from sessions.transcripts.engine.messages import text_block
from sessions.usage.engine.model_facts import ModelFacts

OPENING = "[the beginning of this conversation was left out]"


def mend_empty(draft: Draft, may_be_empty: Callable[[Row], bool]) -> None:
    last = draft.rows[-1] if draft.rows else None
    kept = []
    for row in draft.rows:
        given = not draft.given.get(row.index, [True])
        optional = given and (may_be_empty(row) or (row is last and row.role == "assistant"))
        if row.spots or optional:
            kept.append(row)
        elif given:
            draft.say(f"messages[{row.index}]", "Left out a message.", "It is empty.")
    draft.rows = kept


def mend_beginning(draft: Draft) -> None:
    sections = draft.sections
    if sections and not begins_wrongly(sections[0]):
        return
    at = draft.rows.index(sections[0][0]) if sections else len(draft.rows)
    draft.rows.insert(at, Row("user", [Spot(0, None, text_block(OPENING))], -1))
    draft.say("messages[0]", "Put a user message first.", "A conversation cannot begin with an answer.")


def mend_end(draft: Draft, facts: ModelFacts | None) -> None:
    sections = draft.sections
    if not facts or not sections or not is_prefill(sections[-1]):
        return
    if facts.prefill is False:
        for row in sections[-1]:
            draft.rows.remove(row)
            draft.say(f"messages[{row.index}]", "Left out the last answer.", "This model does not continue an answer.")
    elif facts.prefill and ends_blank(sections[-1]):
        row = sections[-1][-1]
        spot = row.spots[-1]
        row.spots[-1] = replace(spot, block={**spot.block, "text": spot.block["text"].rstrip()})
        draft.say(spot.path, "Cut off blanks at the end.", "The beginning of an answer cannot end with them.")
