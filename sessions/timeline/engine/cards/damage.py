"""What stands in place of records that are damaged in the archive: one card for all that lie in the same stretch."""

from __future__ import annotations

from dataclasses import replace

from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.card import Card, Kind, Plain
from sessions.timeline.engine.cards.draft import draft
from sessions.timeline.engine.cards.lens import Lens
from sessions.transcripts.engine.rows import Row

TITLE = "Damaged in the archive"
ADVICE = (
    "Lucid shows nothing here rather than something else. If the agent's file, or a copy of it at its old place, still "
    "holds these bytes, the check on the Runs page and lucid check --repair bring them back."
)


def damage_card(row: Row, lens: Lens) -> Card:
    return draft(Kind.NOTE, row, lens, TITLE, row.damage, parts=(Plain(ADVICE),), tone="bad")


def with_another(card: Card, row: Row) -> Card | None:
    """The card of the records before, if it can stand for this one too."""
    if card.title != TITLE or card.summary != row.damage or card.turn != row.turn:
        return None
    rows = (*card.rows, row.position)
    return replace(card, rows=rows, facts=(plural(len(rows), "entry", "entries"),))
