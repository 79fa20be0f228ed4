"""One card for consecutive records that are damaged in the archive."""

from __future__ import annotations

from dataclasses import replace

from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.card import Card, CardKind, Plain
from sessions.timeline.engine.cards.draft import make_card
from sessions.timeline.engine.cards.lens import Lens
from sessions.transcripts.engine.rows import Row

TITLE = "Damaged in the archive"
ADVICE = (
    "Lucid shows nothing here rather than something else. If the agent's file, or a copy of it at its old place, still "
    "holds these bytes, the check on the Runs page and lucid check --repair bring them back."
)


def damage_card(row: Row, lens: Lens) -> Card:
    return make_card(CardKind.NOTE, row, lens, TITLE, row.damage, parts=(Plain(ADVICE),), tone="bad")


def extend_damage_card(card: Card, row: Row) -> Card | None:
    """The card with this row added, or None if the row needs a card of its own."""
    if card.title != TITLE or card.summary != row.damage or card.turn != row.turn:
        return None
    rows = (*card.rows, row.position)
    return replace(card, rows=rows, facts=(plural(len(rows), "entry", "entries"),))
