"""A record in a line: who or what it is, and how it begins. Made of its cards: it is called as on the timeline."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sessions.timeline.engine.cards.build import build
from sessions.timeline.engine.cards.card import (
    Card,
    Kind,
    Output,
    Plain,
    Prose,
)
from sessions.timeline.engine.cards.lens import Mask
from sessions.transcripts.engine.rows import Row

LONGEST = 100
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Brief:
    who: str
    words: str
    """Masked; empty where there are none, or none that are text."""


def brief(row: Row, mask: Mask) -> Brief:
    """Of a record with several cards, the first that says something."""
    found = [_of(card) for card in build([row], {}, mask=mask)]
    return next((one for one in found if one.words), found[0] if found else Brief(row.type, ""))


def _of(card: Card) -> Brief:
    if card.chips:
        return Brief(card.chips[0].label.capitalize(), _short(card.chips[0].detail))
    text = next((part.text for part in card.parts if isinstance(part, Prose | Plain | Output)), "")
    # The summary of a lone result is the id of its call.
    first, second = (text, "") if card.kind is Kind.RESULT else (card.summary, text)
    return Brief(card.title or "Output", _short(first or second))


def _short(text: str) -> str:
    flat = _SPACE.sub(" ", text[: 8 * LONGEST]).strip()
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
