"""A record in one line: the title of its card on the timeline, and its first words."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.text.engine.excerpt import excerpt
from sessions.timeline.engine.cards.build import build_cards
from sessions.timeline.engine.cards.card import Card, CardKind, Output, Plain, Prose
from sessions.timeline.engine.cards.lens import Mask
from sessions.transcripts.engine.rows import Row

LONGEST = 100


@dataclass(frozen=True, slots=True)
class Brief:
    who: str
    words: str
    """Masked; empty if the record has no text."""


def make_brief(row: Row, mask: Mask) -> Brief:
    """If a record has several cards, the first one with words."""
    briefs = [_card_brief(card) for card in build_cards([row], {}, mask=mask)]
    return next((candidate for candidate in briefs if candidate.words), briefs[0] if briefs else Brief(row.type, ""))


def _card_brief(card: Card) -> Brief:
    if card.chips:
        return Brief(card.chips[0].label.capitalize(), excerpt(card.chips[0].detail, LONGEST))
    text = next((part.text for part in card.parts if isinstance(part, Prose | Plain | Output)), "")
    # The summary of a result without its call is only an id.
    first, second = (text, "") if card.kind is CardKind.RESULT else (card.summary, text)
    return Brief(card.title or "Output", excerpt((first or second)[: 8 * LONGEST], LONGEST))
